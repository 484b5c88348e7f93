package connection

import (
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"moviola/domain"
)

// Kind is the kind of a connection: the destination or provider to which it leads.
type Kind string

// The kinds. Decision 50.
const (
	Webhook   Kind = "webhook"
	FTP       Kind = "ftp"
	SFTP      Kind = "sftp"
	S3        Kind = "aws-s3"
	GCS       Kind = "gcs"
	AzureBlob Kind = "azure-blob"
	Folder    Kind = "folder" // a folder of the operator on this host; see --export-folder
	Email     Kind = "email"
	APIKey    Kind = "apikey" // a provider: speech, images, transcription; see Settings.Provider
)

// Settings are the settings of a connection or destination by name, each as text.
type Settings map[string]string

// Field is one setting of a kind.
type Field struct {
	Name     string
	Secret   bool // the setting is never returned, and is encrypted where it is stored
	Required bool // a connection does not work without the setting
	Standing bool // only a saved connection has the setting; a movie's destination cannot
	check    func(value string) bool
	wants    string // completes the error message "NAME must be ..."
}

// ContentTypes are the content types that a webhook may ask for. Any other value is replaced by the first of them. Spec:
// Events, rule 3.
var ContentTypes = []string{"application/json", "application/x-www-form-urlencoded"}

var (
	anyText = Field{check: func(s string) bool { return len(s) <= 4096 && !strings.ContainsFunc(s, unicode.IsControl) },
		wants: "a text of at most 4096 characters on one line"}
	anyLines = Field{check: func(s string) bool { return len(s) <= 64<<10 }, wants: "a text of at most 64 KB"}
	flag     = Field{check: func(s string) bool { return s == "true" || s == "false" }, wants: "true or false"}
	port     = Field{check: func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n > 0 && n < 65536
	}, wants: "a number from 1 to 65535"}
	host = Field{check: func(s string) bool {
		return hosts.MatchString(s)
	}, wants: "a host name or address, without scheme, path or port"}
	address = Field{check: checkAddress, wants: "an http or https address"}
	hostKey = Field{check: func(s string) bool {
		return hostKeys.MatchString(s)
	}, wants: "a fingerprint such as SHA256:…, as ssh-keygen -l prints it"}
	events = Field{check: checkEvents, Standing: true, wants: "a list of " + strings.Join(LiveEvents, ", ") + ", each at most once"}
	mails  = Field{check: checkMails, wants: fmt.Sprintf("one to %d e-mail addresses", MaxRecipients)}
)

var (
	hosts    = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,253}$`)
	hostKeys = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}=?$`)
)

func (f Field) named(name string) Field { f.Name = name; return f }
func (f Field) required() Field         { f.Required = true; return f }
func (f Field) secret() Field           { f.Secret = true; return f }

// descriptor holds everything about a kind except the code that sends to it. That code is a deliveries.Sender, which
// NewDestinations of internal/app/roads selects.
type descriptor struct {
	kind        Kind
	destination bool    // movies can be delivered to connections of the kind
	video       bool    // a delivery needs a video. Decision 33
	path        bool    // the video is stored as a file at a path, made of remote-path, file and macros
	savedOnly   bool    // a movie must name a saved connection, and may add only remote-path and file
	recipients  bool    // a delivery goes to people by e-mail, and the number of recipients is limited. Decision 55
	fields      []Field // settings of the kind, in the order in which they are shown
}

// kinds are all kinds, in the order of lists.
var kinds = []descriptor{
	{kind: Webhook, destination: true, fields: []Field{
		address.named("endpoint").secret().required(), anyText.named("content-type"), flag.named("signed"),
		events.named("events"),
	}},
	{kind: FTP, destination: true, video: true, path: true, fields: []Field{
		host.named("host").required(), port.named("port"), anyText.named("username").required(), anyText.named("password").secret(),
		flag.named("secure"), anyText.named("remote-path"), anyText.named("file"),
	}},
	{kind: SFTP, destination: true, video: true, path: true, fields: []Field{
		host.named("host").required(), port.named("port"), anyText.named("username").required(), anyText.named("password").secret(),
		anyLines.named("private-key").secret(), anyText.named("passphrase").secret(), hostKey.named("host-key"),
		anyText.named("remote-path"), anyText.named("file"),
	}},
	{kind: S3, destination: true, video: true, path: true, savedOnly: true, fields: []Field{
		anyText.named("bucket").required(), anyText.named("region").required(), anyText.named("access-key-id").secret().required(),
		anyText.named("secret-access-key").secret().required(), anyText.named("session-token").secret(),
		address.named("endpoint"), flag.named("path-style"), anyText.named("remote-path"), anyText.named("file"),
	}},
	{kind: GCS, destination: true, video: true, path: true, savedOnly: true, fields: []Field{
		gcsBucket.named("bucket").required(), serviceAccount.named("credentials").secret().required(), address.named("endpoint"),
		anyText.named("remote-path"), anyText.named("file"),
	}},
	{kind: AzureBlob, destination: true, video: true, path: true, savedOnly: true, fields: []Field{
		azureAccount.named("account").required(), azureContainer.named("container").required(),
		azureKey.named("account-key").secret().required(), address.named("endpoint"),
		anyText.named("remote-path"), anyText.named("file"),
	}},
	{kind: Folder, destination: true, video: true, path: true, fields: []Field{
		folderName.named("folder").required(), inside.named("remote-path"), inside.named("file"), flag.named("overwrite"),
	}},
	{kind: Email, destination: true, video: true, recipients: true, fields: []Field{
		host.named("host"), port.named("port"), anyText.named("username"), anyText.named("password").secret(),
		Field{check: oneOf("starttls", "tls", "none"), wants: "starttls, tls or none"}.named("security"),
		mails.named("from"), mails.named("to"), anyText.named("subject"), anyLines.named("message"),
	}},
	{kind: APIKey, fields: []Field{
		Field{check: oneOf(OpenAI, AzureSpeech, ElevenLabs), wants: "openai, azure-speech or elevenlabs"}.named("provider"),
		address.named("url"), Field{check: azureRegions.MatchString, wants: "a region such as westeurope"}.named("region"),
		anyText.named("key").secret().required(), anyText.named("model"), anyText.named("voice"),
	}},
}

// Kinds returns the names of all kinds.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, d := range kinds {
		names[i] = string(d.kind)
	}
	return names
}

// DestinationKinds returns the names of the kinds to which movies can be delivered.
func DestinationKinds() []string {
	return slices.DeleteFunc(Kinds(), func(name string) bool { return !Kind(name).IsDestination() })
}

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, error) {
	if Kind(name).descriptor().kind == "" {
		names := Kinds()
		last := len(names) - 1
		return "", domain.Errorf(domain.Invalid, "type_invalid", "type must be %s or %s", strings.Join(names[:last], ", "), names[last])
	}
	return Kind(name), nil
}

// descriptor returns the descriptor of the kind, the zero descriptor for an unknown kind.
func (k Kind) descriptor() descriptor {
	for _, d := range kinds {
		if d.kind == k {
			return d
		}
	}
	return descriptor{}
}

// Fields returns the settings a kind has.
func (k Kind) Fields() []Field { return slices.Clone(k.descriptor().fields) }

// field returns a setting of the kind by name.
func (k Kind) field(name string) (Field, bool) {
	fields := k.descriptor().fields
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// IsDestination reports whether movies can be delivered to a connection of the kind.
func (k Kind) IsDestination() bool { return k.descriptor().destination }

// TakesFiles reports whether a delivery to a destination of the kind needs a video. Decision 33.
func (k Kind) TakesFiles() bool { return k.descriptor().video }

// HasPath reports whether the destination stores the video as a file at a path.
func (k Kind) HasPath() bool { return k.descriptor().path }

// SavedOnly reports whether a movie must name a saved connection of the kind. Spec: Export destination entries.
func (k Kind) SavedOnly() bool { return k.descriptor().savedOnly }

// HasRecipients reports whether a delivery goes to people by e-mail. The plan must then allow e-mail, and recipients are
// counted. Decision 55.
func (k Kind) HasRecipients() bool { return k.descriptor().recipients }

func oneOf(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

func checkAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= 8<<10 && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// MaxRecipients is the largest number of recipients of an e-mail destination. Decision 55.
const MaxRecipients = 10

func checkMails(s string) bool {
	list, err := mail.ParseAddressList(s)
	return err == nil && len(list) <= MaxRecipients
}

// Recipients returns the addresses to which an e-mail with these settings goes, each in the form of RFC 5322. Invalid
// addresses, and more than MaxRecipients, which connections of earlier versions may have, are refused as Invalid.
func (s Settings) Recipients() ([]string, error) {
	list, err := mail.ParseAddressList(s["to"])
	switch {
	case s["to"] == "":
		return nil, domain.Errorf(domain.Invalid, "not_delivered", "Not delivered: the e-mail has no to")
	case err != nil:
		return nil, domain.Errorf(domain.Invalid, "not_delivered", "Not delivered: an address in to is not valid")
	case len(list) > MaxRecipients:
		return nil, domain.Errorf(domain.Invalid, "not_delivered",
			"Not delivered: an e-mail destination can have at most %d recipients, this one has %d", MaxRecipients, len(list))
	}
	recipients := make([]string, len(list))
	for i, address := range list {
		recipients[i] = address.String()
	}
	return recipients, nil
}
