package connections

import (
	"slices"

	"moviola/domain/connection"
	"moviola/handlers/http/operation"
)

// idForm is the rule for the id of a connection.
var idForm = operation.Pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// models describe the JSON of request bodies and answers.
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
	return []operation.Field{
		operation.F("endpoint", "webhook: address of the receiver, secret but for scheme and host. aws-s3: address of a storage "+
			"other than Amazon's. gcs, azure-blob: address of the storage, where it is not the cloud's own.", operation.Optional),
		operation.F("content-type", "webhook: application/json (default) or application/x-www-form-urlencoded, in full.",
			operation.Optional),
		operation.F("signed", "webhook: sign by the Standard Webhooks convention.", flag, operation.Optional),
		operation.F("events", "webhook: live events that it is told, of all movies and batches of the account.",
			operation.List(operation.Enum(connection.LiveEvents...)), operation.Optional),
		operation.F("host", "ftp, sftp, email: host name of the server.", operation.Optional),
		operation.F("port", "ftp (21), sftp (22), email (587, or 465 with security tls).", number, operation.Optional),
		operation.F("username", "ftp, sftp, email.", operation.Optional),
		operation.F("password", "ftp, sftp, email: secret.", operation.Optional),
		operation.F("secure", "ftp: encrypt by TLS (AUTH TLS).", flag, operation.Optional),
		operation.F("private-key", "sftp: instead of a password, in PEM or OpenSSH form; secret.", operation.Optional),
		operation.F("passphrase", "sftp: of the private key; secret.", operation.Optional),
		operation.F("host-key", "sftp: fingerprint that the server must show, SHA256:…; without it the one that it shows first "+
			"is kept.", operation.Optional),
		operation.F("bucket", "aws-s3, gcs.", operation.Optional),
		operation.F("region",
			"aws-s3. apikey with the provider azure-speech: the region of the resource, such as westeurope.",
			operation.Optional),
		operation.F("access-key-id", "aws-s3: secret.", operation.Optional),
		operation.F("secret-access-key", "aws-s3: secret.", operation.Optional),
		operation.F("session-token", "aws-s3: secret.", operation.Optional),
		operation.F("path-style", "aws-s3: the bucket is part of the path, not of the host.", flag, operation.Optional),
		operation.F("credentials", "gcs: JSON key of a service account, as a text; secret.", operation.Optional),
		operation.F("account", "azure-blob: name of the storage account.", operation.Optional),
		operation.F("container", "azure-blob.", operation.Optional),
		operation.F("account-key", "azure-blob: access key of the storage account; secret.", operation.Optional),
		operation.F("folder", "folder: name of an export folder of the server.", operation.Optional),
		operation.F("overwrite", "folder: replace a file that has the name already; without it that is an error.", flag,
			operation.Optional),
		operation.F("remote-path", "ftp, sftp, aws-s3, gcs, azure-blob, folder: folder, with macros.", operation.Optional),
		operation.F("file", "ftp, sftp, aws-s3, gcs, azure-blob, folder: name of the file, with macros; default YYYY-MM-DD-NNNNN.mp4.",
			operation.Optional),
		operation.F("security", "email: starttls (default), tls or none.", operation.Optional),
		operation.F("from", "email.", operation.Optional),
		operation.F("to", "email: one or more addresses.", append(slices.Clone(addresses), operation.Optional)...),
		operation.F("subject", "email, with macros.", operation.Optional),
		operation.F("message", "email, with macros.", operation.Optional),
		operation.F("provider", "apikey: the protocol that the service speaks. azure-speech and elevenlabs speak, and do nothing "+
			"else.", operation.Enum("openai", "azure-speech", "elevenlabs"), operation.Default("openai"), operation.Optional),
		operation.F("url", "apikey: base of the service. With openai required, up to and with its version (…/v1); with "+
			"azure-speech instead of region; with elevenlabs the vendor's own where it is left out.", operation.Optional),
		operation.F("key", "apikey: secret.", operation.Optional),
		operation.F("model", "apikey.", operation.Optional),
		operation.F("voice", "apikey.", operation.Optional),
	}
}
