package operation

import "moviola/handlers/http/web"

// Parameters that several resources have.
var (
	// OperatorToken lets an operator act for the account of the parameter account.
	OperatorToken = Header(web.OperatorTokenHeader, "The operator's token; only beside account.")
	// Account is another account, for operators.
	Account = Query("account", "For operators: another account's. Needs the header x-admin-token.")
	// OwnAccount is the parameter account where it is refused.
	OwnAccount = Query("account", "Refused: account is for reading only.")
	// NextToken is the cursor of a list that keeps its limit.
	NextToken = Query("next_token", "Cursor from the answer before. It carries its limit.")
	// RangeToken is the cursor of a list that keeps its range and limit.
	RangeToken = Query("next_token", "Cursor from the answer before. It carries its range and limit.")
)

// Limit is the size of a page, up to 100 rows.
func Limit(text string) Parameter { return Page("limit", text, 100, 100) }

// Page is the size of a page with its default and its maximum.
func Page(name, text string, usual, most int) Parameter {
	return Query(name, text, Integer, Min(1), Max(float64(most)), Default(usual))
}

// ShortID is the rule of ids of 16 characters: of movies, preloads and batches.
var ShortID Rule = func(m *member) {
	Shortest(16)(m)
	Longest(16)(m)
}

// Timestamp is the shape of points in time.
var Timestamp = Described("UTC, ISO 8601 with milliseconds and Z.", Plain(Format("date-time"),
	Example("2026-11-21T12:00:00.000Z")))
