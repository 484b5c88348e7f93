package credits

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	readCredits, readLedger,
}, Models: models}

// The declarations of the operations on credits.
var (
	readCredits = operation.Operation{
		Method: http.MethodGet, Path: "/v2/credits", ID: "readCredits", Tag: "Credits", Role: key.Admin,
		Summary:    "Credits as they are now",
		Parameters: []operation.Parameter{operation.Account, operation.OperatorToken},
		Answers:    operation.OK("What the account has, has spent and has set aside.", operation.A[credits]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous"),
			operation.On(404, "The account does not exist.", "account_not_found"),
		},
	}
	readLedger = operation.Operation{
		Method: http.MethodGet, Path: "/v2/credits/ledger", ID: "readLedger", Tag: "Credits", Role: key.Admin,
		Summary: "Statement of credits",
		Text:    "Every event of the ledger is one entry; the sums of granted, held and charged are those of GET /v2/credits.",
		Parameters: []operation.Parameter{
			operation.Account,
			operation.Query("from", "Date or date-time, in UTC when it has no zone."),
			operation.Query("to", "Date or date-time; a date means its end."),
			operation.Page("limit", "Entries per page; with format=csv 999 by default.", 100, 999),
			operation.RangeToken,
			operation.Query("format", "", operation.Enum("json", "csv"), operation.Default("json")),
			operation.OperatorToken,
		},
		Answers: []operation.Answer{
			{Status: 200, Text: "A page of the account's ledger, the newest entry first.",
				Headers: []operation.Parameter{operation.Header("X-Next-Token",
					"With format=csv: the cursor of the next page, absent from the last one.")}, Contents: []operation.Content{
					{Type: "application/json", Schema: operation.A[statement]()},
					{Type: "text/csv", Schema: operation.Plain()},
				}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous", "end_date_invalid", "format_invalid", "limit_invalid",
				"next_token_invalid", "start_date_invalid"),
			operation.On(404, "The account does not exist.", "account_not_found"),
		},
	}
)
