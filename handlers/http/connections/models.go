package connections

import (
	"slices"

	"moviola/domain/connection"
	"moviola/handlers/http/operation"
)

// idForm is the rule for the id of a connection.
var idForm = operation.Pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// models describe the JSON of the request bodies and answers of the operations on connections.
var models = []operation.Model{
	operation.Object("SaveConnection", "`id`, `type` and the properties of that type.", slices.Concat([]operation.Field{
		operation.F("id", "Chosen by you.", idForm),
		operation.F("type", "", operation.Enum(connection.Kinds()...)),
	}, settings(operation.Types("boolean", "string"), operation.Types("integer", "string"), operation.Types("string", "array"),
		operation.Items()))...),
	operation.Of[saved]("SavedConnection", "",
		operation.F("id", "", idForm),
		operation.F("secret", "Signing secret of a webhook, when it is new: shown here and never again.",
			operation.Pattern(`^whsec_`)),
	),
	operation.Of[tested]("TestedConnection", "",
		operation.F("id", "", idForm),
		operation.F("status", "", operation.Enum("ok", "error")),
		operation.F("http_status", "Of a webhook's answer."),
		operation.F("message", "Addresses are shown as scheme and host only."),
	),
	operation.Object("Connection", "A saved connection. Secret properties that are set are `***`; of a webhook's endpoint scheme "+
		"and host are shown.", slices.Concat([]operation.Field{
		operation.F("id", "", idForm),
		operation.F("type", "", operation.Enum(connection.Kinds()...)),
	}, settings(operation.Boolean, operation.Integer), []operation.Field{
		operation.F("signing_secrets", "webhook: signing secrets that are valid: 1, or 2 while they are rotated.",
			operation.Integer, operation.Optional),
		operation.F("host_key", "sftp: fingerprint that the server showed when it was first used.", operation.Null),
		operation.F("test", "", operation.Is(operation.Inline(
			operation.F("status", "", operation.Enum("ok", "error")),
			operation.F("message", ""),
		)), operation.Null),
		operation.F("tested_at", "", operation.Time, operation.Null),
		operation.F("saved_at", "", operation.Time),
	})...),
	operation.Of[page]("Connections", "",
		operation.F("connections", "", operation.List(operation.Is(operation.Ref("Connection")))),
	),
}

// settings returns the fields of connections of all kinds. The parameters are the rules for flags, numbers and addresses,
// because requests may write them in more forms than answers.
func settings(flag, number operation.Rule, addresses ...operation.Rule) []operation.Field {
	var fields []operation.Field
	for _, s := range connection.AllSettings() {
		rules := []operation.Rule{operation.Optional}
		switch s.Form {
		case connection.Flag:
			rules = append(rules, flag)
		case connection.Number:
			rules = append(rules, number)
		case connection.Addresses:
			rules = append(rules, addresses...)
		case connection.Events:
			rules = append(rules, operation.List(operation.Enum(connection.LiveEvents...)))
		case connection.Text:
		}
		if len(s.Values) > 0 {
			rules = append(rules, operation.Enum(s.Values...), operation.Default(s.Default))
		}
		fields = append(fields, operation.F(s.Name, s.Text, rules...))
	}
	return fields
}
