package batches

import (
	"moviola/domain/batch"
	"moviola/handlers/http/operation"
)

// models describe the JSON of the request bodies and answers of the operations on batches.
var models = []operation.Model{
	operation.Object("StartBatch", "",
		operation.F("template", "Id of a saved template."),
		operation.F("rows", "", operation.List(operation.Map, operation.Text("Variables and their values.")),
			operation.Fewest(1), operation.Most(1000)),
		operation.F("all_or_nothing", "Refuse the batch when a row is invalid.", operation.Boolean, operation.Default(false),
			operation.Optional),
	),
	operation.Of[batch.Flaw]("BatchFlaw", "",
		operation.F("row", "Counted from 1, the first line of a CSV not included.", operation.Min(1)),
		operation.F("column", "The variable at fault, where that is known."),
		operation.F("code", "What is wrong: a code of an error or of a problem of a movie, or row_not_object, row_too_large, "+
			"csv_field_count, csv_quotes, csv_not_utf8."),
	),
	operation.Of[accepted]("StartedBatch", ""),
	operation.Of[priced]("PricedBatch", "",
		operation.F("movies", "Rows of which a movie would be made."),
		operation.F("credits", "What all of them would hold, by their known lengths."),
	),
	operation.Of[head]("BatchHead", "",
		operation.F("state", "requested: its credits are not held yet; accepted: its movies are being submitted; submitted: each "+
			"row has its movie.", operation.Enum("requested", "accepted", "submitted", "cancelled")),
		operation.F("rows", "All of them."),
		operation.F("movies", "Rows of which a movie is made."),
		operation.F("invalid", "Rows of which none is made."),
		operation.F("credits", "Held for all movies when the batch was accepted."),
	),
	operation.Of[listed]("Batches", ""),
	operation.Of[row]("BatchRow", "",
		operation.F("status", "That of its movie. waiting: it is not submitted yet; invalid: none is made; cancelled: none was "+
			"submitted before the batch was cancelled.", operation.Enum("waiting", "pending", "running", "done", "error",
			"timeout", "invalid", "cancelled")),
	),
	operation.Of[shown]("Batch", ""),
	operation.Of[cancelled]("CancelledBatch", "",
		operation.F("state", "", operation.Const("cancelled")),
	),
	operation.Of[flawed]("RefusedBatch", "",
		operation.F("success", "", operation.Const(false)),
		operation.F("code", "", operation.Const("rows_invalid")),
		operation.F("errors", "What is wrong with each invalid row."),
	),
	operation.Of[summary]("BatchBatch", "",
		operation.F("state", "requested: its credits are not held yet; accepted: its movies are being submitted; submitted: each "+
			"row has its movie.", operation.Enum("requested", "accepted", "submitted", "cancelled")),
		operation.F("rows", "All of them."),
		operation.F("movies", "Rows of which a movie is made."),
		operation.F("invalid", "Rows of which none is made."),
		operation.F("credits", "Held for all movies when the batch was accepted."),
		operation.F("status", "done: every movie has ended, some perhaps with an error.",
			operation.Enum("pending", "running", "done", "cancelled")),
		operation.F("counts", "Rows by status.", operation.Values(operation.Integer)),
	),
}
