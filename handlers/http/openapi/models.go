package openapi

import (
	"moviola/handlers/http/operation"
)

// models are the models that several resources use.
var models = []operation.Model{
	operation.Named("ErrorCode", errorCode),
	operation.Named("Timestamp", operation.Timestamp),
	operation.Object("Error", "Every error. `message` is a sentence for people; match on `code`.",
		operation.F("success", "", operation.Const(false)),
		operation.F("message", ""),
		operation.F("code", "", operation.Is(operation.Ref("ErrorCode"))),
	),
}
