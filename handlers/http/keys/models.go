package keys

import (
	"moviola/handlers/http/operation"
)

// models describe the JSON of this package's request bodies and answers.
var models = []operation.Model{
	operation.Of[issueRequest]("IssueKey", "",
		operation.F("name", "What it is for.", operation.Shortest(1), operation.Longest(100)),
		operation.F("role", "", operation.Enum("viewer", "render", "editor", "manager", "admin")),
		operation.F("expires_at", "A date-time, without a zone in UTC, or a date, which means its last moment. Left out: the key "+
			"never expires.", operation.String, operation.Optional),
	),
	operation.Of[issued]("IssuedKey", "",
		operation.F("id", "", operation.Pattern(`^[0-9a-f]{32}$`)),
		operation.F("key", "The key: shown here and never again.", operation.Pattern(`^mv_[0-9A-Za-z]{46}$`)),
		operation.F("role", "", operation.Enum("viewer", "render", "editor", "manager", "admin")),
	),
	operation.Of[Key]("Key", "",
		operation.F("id", "", operation.Pattern(`^[0-9a-f]{32}$`)),
		operation.F("role", "", operation.Enum("viewer", "render", "editor", "manager", "admin")),
		operation.F("legacy", "The kind of a key from before keys had roles; null for every other.",
			operation.Enum("primary", "secondary")),
	),
	operation.Of[Page]("Keys", ""),
	operation.Of[revoked]("RevokedKey", "",
		operation.F("id", "", operation.Pattern(`^[0-9a-f]{32}$`)),
	),
}
