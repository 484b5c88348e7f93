package deliveries

import (
	"moviola/handlers/http/operation"
)

// models are the JSON of bodies and answers.
var models = []operation.Model{
	operation.Of[delivered]("DeliveryHead", "",
		operation.F("project", "Project of the movie."),
		operation.F("index", "Place of the destination in the movie's destinations, from 0."),
		operation.F("type", "Kind of the destination."),
		operation.F("id", "Id of the saved connection; empty: there is none."),
		operation.F("status", "", operation.Enum("ok", "error", "skipped")),
		operation.F("final", "No further try follows by itself."),
		operation.F("http_status", "Status of the receiver's answer; 0: there was none."),
		operation.F("message", "What became of it, for people."),
		operation.F("attempts", "Tries in all."),
		operation.F("duration_ms", "What all tries took."),
	),
	operation.Of[listed]("Deliveries", ""),
	operation.Of[tried]("DeliveryTry", "",
		operation.F("index", "Place of the destination in the movie's destinations, from 0."),
		operation.F("run", "Number of the run of the delivery; a redelivery is a new one."),
		operation.F("try", "Number of the try."),
		operation.F("type", "Kind of the destination."),
		operation.F("id", "Id of the saved connection; empty: there is none."),
		operation.F("status", "", operation.Enum("ok", "error", "skipped")),
		operation.F("http_status", "Status of the receiver's answer; 0: there was none."),
		operation.F("message", "What became of it, for people."),
		operation.F("duration_ms", "What the try took."),
		operation.F("address", "Scheme and host that was called; null: nothing is kept of this try."),
		operation.F("started_at", "When it began.", operation.String),
		operation.F("content_type", "Form of the body of a webhook."),
		operation.F("sent", "Body of a webhook, at most its first 64 kB; null: nothing is kept, or the destination is no webhook."),
		operation.F("sent_size", "Size of the whole body in bytes."),
		operation.F("answer", "First 2 kB of the receiver's answer."),
	),
	operation.Of[shown]("DeliveryTries", ""),
}
