package batches

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	startBatch, validateBatch, listBatches, cancelBatch, readBatch, readBatchResults,
}, Models: models}

// rowsBody is the request body of POST /batches and POST /batches/validate: a template and its rows, as JSON or CSV.
var rowsBody = operation.Upload(
	operation.Content{Type: "application/json", Schema: operation.Ref("StartBatch")},
	operation.Content{Type: "text/csv", Schema: operation.Plain()},
	operation.Content{Type: "text/tab-separated-values", Schema: operation.Plain()},
)

// The declarations of the operations on batches.
var (
	startBatch = operation.Operation{
		Method: http.MethodPost, Path: "/v2/batches", ID: "startBatch", Tag: "Batches", Role: key.Render,
		Summary: "Make a movie of a template for each row",
		Text: "One saved template and 1 to 1,000 rows of variables, in JSON (up to 2 MB) or CSV (up to 20 MB): UTF-8 with or " +
			"without byte order mark, separated by comma, semicolon or tab; the first line names the variables, an empty cell leaves " +
			"its variable as the template has it. Invalid rows are listed and stop no other, unless all_or_nothing is true. The " +
			"credits of all rows are held at once, or the batch is refused whole. The movies are submitted afterwards; their projects " +
			"follow from batch and row.",
		Parameters: []operation.Parameter{
			operation.Query("template", "With CSV: the id of the saved template."),
			operation.Query("all_or_nothing", "With CSV: refuse the batch when a row is invalid.", operation.Boolean,
				operation.Default(false)),
			operation.Header("Idempotency-Key", "Your own name for this batch, 1 to 255 characters: repeating it within 24 hours is "+
				"answered as the first time, and starts nothing. Another body answers 409.", operation.Shortest(1), operation.Longest(255)),
		},
		Body:    rowsBody,
		Answers: operation.OK("The batch was accepted; its credits are held.", operation.A[accepted]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The batch is not valid, its rows are not, or fewer credits are available than all rows cost. Nothing "+
				"was held.", "all_or_nothing_invalid", "body_unreadable", "csv_header", "idempotency_key_invalid",
				"insufficient_credits", "payload_invalid", "payload_missing", "rows_count", "template_chain_too_long",
				"template_circle", "template_missing", "template_secret_used").Or(operation.A[flawed]()),
			operation.On(401, "The key is missing or not valid, or nothing is left of credits or of the month's movies.",
				"draft_quota_exceeded", "movie_quota_exceeded", "not_enough_credits"),
			operation.On(403, "The key's role is below the one that is needed, the account is suspended or closed, or it stores as "+
				"much as it may.", "account_closed", "account_suspended", "storage_full"),
			operation.On(404, "The template does not exist, or is another account's.", "template_not_found"),
			operation.On(409, "The Idempotency-Key was used with another body.", "idempotency_key_reused"),
			operation.On(413, "The body is too large, or the template is too large for so many rows.", "batch_too_large"),
		},
	}
	validateBatch = operation.Operation{
		Method: http.MethodPost, Path: "/v2/batches/validate", ID: "validateBatch", Tag: "Batches", Role: key.Render,
		Summary: "What a batch would make of its rows, and its price",
		Text: "The body is that of POST /v2/batches, and every row is read in the same way. Nothing is stored, and no credits are " +
			"held. Invalid rows are listed, and are no error, whatever all_or_nothing says.",
		Parameters: []operation.Parameter{
			operation.Query("template", "With CSV: the id of the saved template."),
			operation.Query("all_or_nothing", "Changes nothing here.", operation.Boolean, operation.Default(false)),
		},
		Body:    rowsBody,
		Answers: operation.OK("What would be made.", operation.A[priced]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The batch is not valid as a whole.", "all_or_nothing_invalid", "body_unreadable", "csv_header",
				"payload_invalid", "payload_missing", "rows_count", "template_chain_too_long", "template_circle", "template_missing",
				"template_secret_used"),
			operation.On(401, "The key is missing or not valid, or nothing is left of credits or of the month's movies.",
				"draft_quota_exceeded", "movie_quota_exceeded", "not_enough_credits"),
			operation.On(403, "The key's role is below the one that is needed, the account is suspended or closed, or it stores as "+
				"much as it may.", "account_closed", "account_suspended", "storage_full"),
			operation.On(404, "The template does not exist, or is another account's.", "template_not_found"),
			operation.On(413, "The body is too large, or the template is too large for so many rows.", "batch_too_large"),
		},
	}
	listBatches = operation.Operation{
		Method: http.MethodGet, Path: "/v2/batches", ID: "listBatches", Tag: "Batches", Role: key.Viewer,
		Summary:    "List batches",
		Text:       "The newest first.",
		Parameters: []operation.Parameter{operation.Page("limit", "Entries per page.", 20, 100), operation.NextToken},
		Answers:    operation.OK("A page of the account's batches.", operation.A[listed]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "limit_invalid", "next_token_invalid"),
		},
	}
	cancelBatch = operation.Operation{
		Method: http.MethodPost, Path: "/v2/batches/cancel", ID: "cancelBatch", Tag: "Batches", Role: key.Render,
		Summary: "End a batch",
		Text: "Movies that have ended stay; the others are ended, and what is held for them is released, a moment after this " +
			"answer. Doing it again changes nothing.",
		Parameters: []operation.Parameter{operation.Query("id", "The batch.", operation.ShortID).Needed()},
		Answers:    operation.OK("Nothing more comes of it.", operation.A[cancelled]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing or malformed.", "batch_id_malformed"),
			operation.On(404, "There is no such batch in this account.", "batch_not_found"),
			operation.On(409, "Every movie of the batch has ended.", "batch_already_finished"),
		},
	}
	readBatch = operation.Operation{
		Method: http.MethodGet, Path: "/v2/batches/{batch_id}", ID: "readBatch", Tag: "Batches", Role: key.Viewer,
		Summary: "How far a batch is",
		Text:    "A summary, and a page of its rows.",
		Parameters: []operation.Parameter{
			operation.InPath("batch_id", "", operation.ShortID),
			operation.Limit("Entries per page."),
			operation.NextToken,
		},
		Answers: operation.OK("The batch.", operation.A[shown]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "batch_id_malformed", "limit_invalid", "next_token_invalid"),
			operation.On(404, "There is no such batch in this account.", "batch_not_found"),
		},
	}
	readBatchResults = operation.Operation{
		Method: http.MethodGet, Path: "/v2/batches/{batch_id}/results.csv", ID: "readBatchResults",
		Tag: "Batches", Role: key.Viewer,
		Summary: "All rows of a batch, as CSV",
		Text: "One line for each row: row, project, status, url, duration, credits, column, code, message. A text that a " +
			"spreadsheet would take for a formula has an apostrophe before it.",
		Parameters: []operation.Parameter{operation.InPath("batch_id", "", operation.ShortID)},
		Answers: []operation.Answer{
			{Status: 200, Text: "The rows.", Contents: []operation.Content{{Type: "text/csv", Schema: operation.Plain()}}},
		},
		Refusals: []operation.Refusal{
			operation.On(400, "The id is malformed.", "batch_id_malformed"),
			operation.On(404, "There is no such batch in this account.", "batch_not_found"),
		},
	}
)
