package connection

import "slices"

// descriptor holds the settings of a kind, with a check of each, and what a delivery to it needs. The descriptions of the
// interface, the limits per host and the delivery log use it, too. Functions of this package add rules of single kinds. The code
// that sends files is a deliveries.Sender, which NewDestinations of internal/app/roads selects.
type descriptor struct {
	kind        Kind
	destination bool    // movies can be delivered to connections of the kind
	video       bool    // a delivery needs a video. Decision 33
	path        bool    // the video is stored as a file at a path, made of remote-path, file and macros
	savedOnly   bool    // a movie must name a saved connection, and may add only remote-path and file
	recipients  bool    // a delivery goes to people by e-mail, and the number of recipients is limited. Decision 55
	fields      []Field // settings of the kind, in the order in which they are shown
	// place returns scheme and host to which settings without host and endpoint lead; nil: they lead nowhere.
	place func(Settings) string
}

// toFile returns the settings of a kind that stores a file at a path: path is the field for the folder, name that for the file
// name.
func toFile(path, name Field) []Field {
	return []Field{path.named("remote-path").doc("folder, with macros"),
		name.named("file").doc("name of the file, with macros; default YYYY-MM-DD-NNNNN.mp4")}
}

// kinds are the descriptors of all kinds, in the order in which lists show the kinds.
var kinds = []descriptor{
	{kind: Webhook, destination: true, fields: []Field{
		address.named("endpoint").doc("address of the receiver, secret but for scheme and host").secret().required(),
		anyText.named("content-type").doc("application/json (default) or application/x-www-form-urlencoded, in full"),
		flag.named("signed").doc("sign by the Standard Webhooks convention"),
		events.named("events").doc("live events that it is told, of all movies and batches of the account"),
	}},
	{kind: FTP, destination: true, video: true, path: true, fields: slices.Concat([]Field{
		host.named("host").doc("host name of the server").required(), port.named("port").doc("default 21"),
		anyText.named("username").required(), anyText.named("password").doc("secret").secret(),
		flag.named("secure").doc("encrypt by TLS (AUTH TLS)").bound(),
	}, toFile(anyText, anyText))},
	{kind: SFTP, destination: true, video: true, path: true, fields: slices.Concat([]Field{
		host.named("host").doc("host name of the server").required(), port.named("port").doc("default 22"),
		anyText.named("username").required(), anyText.named("password").doc("secret").secret(),
		anyLines.named("private-key").doc("instead of a password, in PEM or OpenSSH form; secret").secret(),
		anyText.named("passphrase").doc("of the private key; secret").secret(),
		hostKey.named("host-key").
			doc("fingerprint that the server must show, SHA256:…; without it the one that it shows first is kept"),
	}, toFile(anyText, anyText))},
	{kind: S3, destination: true, video: true, path: true, savedOnly: true, fields: slices.Concat([]Field{
		anyText.named("bucket").bound().required(), anyText.named("region").bound().required(),
		anyText.named("access-key-id").doc("secret").secret().required(),
		anyText.named("secret-access-key").doc("secret").secret().required(),
		anyText.named("session-token").doc("secret").secret(),
		address.named("endpoint").doc("address of a storage other than Amazon's"),
		flag.named("path-style").doc("the bucket is part of the path, not of the host").bound(),
	}, toFile(anyText, anyText)), place: func(s Settings) string { return "https://s3." + s["region"] }},
	{kind: GCS, destination: true, video: true, path: true, savedOnly: true, fields: slices.Concat([]Field{
		gcsBucket.named("bucket").bound().required(),
		serviceAccount.named("credentials").doc("JSON key of a service account, as a text; secret").secret().required(),
		address.named("endpoint").doc("address of the storage, where it is not the cloud's own"),
	}, toFile(anyText, anyText)), place: func(Settings) string { return "https://storage.googleapis.com" }},
	{kind: AzureBlob, destination: true, video: true, path: true, savedOnly: true, fields: slices.Concat([]Field{
		azureAccount.named("account").doc("name of the storage account").bound().required(),
		azureContainer.named("container").bound().required(),
		azureKey.named("account-key").doc("access key of the storage account; secret").secret().required(),
		address.named("endpoint").doc("address of the storage, where it is not the cloud's own"),
	}, toFile(anyText, anyText)), place: func(s Settings) string { return "https://" + s["account"] + ".blob.core.windows.net" }},
	{kind: Folder, destination: true, video: true, path: true, fields: slices.Concat([]Field{
		folderName.named("folder").doc("name of an export folder of the server").required(),
	}, toFile(inside, inside), []Field{
		flag.named("overwrite").doc("replace a file that has the name already; without it that is an error"),
	}), place: func(s Settings) string { return "folder://" + s["folder"] }},
	{kind: Email, destination: true, video: true, recipients: true, fields: []Field{
		host.named("host").doc("host name of the server"), port.named("port").doc("default 587, or 465 with security tls"),
		anyText.named("username"), anyText.named("password").doc("secret").secret(),
		Field{check: oneOf("starttls", "tls", "none"), wants: "starttls, tls or none"}.named("security").
			doc("starttls (default), tls or none").bound(),
		mails.named("from"), recipients.named("to").doc("one or more addresses"), anyText.named("subject").doc("with macros"),
		anyLines.named("message").doc("with macros"),
	}},
	{kind: APIKey, fields: []Field{
		Field{Values: []string{OpenAI, AzureSpeech, ElevenLabs}, Default: OpenAI, check: oneOf(OpenAI, AzureSpeech, ElevenLabs),
			wants: "openai, azure-speech or elevenlabs"}.named("provider").
			doc("the protocol that the service speaks; azure-speech and elevenlabs speak, and do nothing else"),
		address.named("url").doc("base of the service. With openai required, up to and with its version (…/v1); with " +
			"azure-speech instead of region; with elevenlabs the vendor's own where it is left out"),
		Field{check: azureRegions.MatchString, wants: "a region such as westeurope"}.named("region").
			doc("with the provider azure-speech, the region of the resource, such as westeurope").bound(),
		anyText.named("key").doc("secret").secret().required(), anyText.named("model"), anyText.named("voice"),
	}},
}
