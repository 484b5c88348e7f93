package operation

import "moviola/handlers/http/web"

// The parameters that operations of several packages have.
var (
	// OperatorToken is the header by which an operator acts for the account in the parameter account.
	OperatorToken = Header(web.OperatorTokenHeader, "The operator's token; only beside account.")
	// Account selects another account, for operators.
	Account = Query("account", "For operators: another account's. Needs the header x-admin-token.")
	// OwnAccount declares the query parameter account of operations that refuse requests with it, because operators may
	// only read for other accounts.
	OwnAccount = Query("account", "Refused: account is for reading only.")
	// NextToken is the cursor of a list. It contains the size of the page.
	NextToken = Query("next_token", "Cursor from the answer before. It carries its limit.")
	// RangeToken is the cursor of a list. It contains the range of time and the size of the page.
	RangeToken = Query("next_token", "Cursor from the answer before. It carries its range and limit.")
)

// Limit is the size of a page, up to 100 rows.
func Limit(text string) Parameter { return Page("limit", text, 100, 100) }

// Page returns the parameter for a page's size, with default and maximum.
func Page(name, text string, usual, most int) Parameter {
	return Query(name, text, Integer, Min(1), Max(float64(most)), Default(usual))
}

// ShortID is the rule for ids of movies, preloads and batches: 16 characters.
var ShortID Rule = func(m *member) {
	Shortest(16)(m)
	Longest(16)(m)
}

// Timestamp is the schema of times.
var Timestamp = Described("UTC, ISO 8601 with milliseconds and Z.", Plain(Format("date-time"),
	Example("2026-11-21T12:00:00.000Z")))
