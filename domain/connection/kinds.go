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
	"unicode/utf8"

	"moviola/domain"
)

// Kind is the kind of a connection: the destination or provider to which it leads.
type Kind string

// The kinds of connections. Decision 50.
const (
	Webhook   Kind = "webhook"
	FTP       Kind = "ftp"
	SFTP      Kind = "sftp"
	S3        Kind = "aws-s3"
	GCS       Kind = "gcs"
	AzureBlob Kind = "azure-blob"
	Folder    Kind = "folder" // a folder of the operator on this host; see --export-folder
	Email     Kind = "email"
	APIKey    Kind = "apikey" // a provider of speech, images or transcription; see Settings.Provider
)

// Settings are the settings of a connection or destination by name, each as text.
type Settings map[string]string

// Form is the JSON type in which a setting is shown.
type Form int

// The JSON types in which settings are shown.
const (
	Text Form = iota
	Flag
	Number
	Addresses // a list of e-mail addresses, or a text with commas between them
	Events    // a list of names of live events, each one of LiveEvents
)

// Field is one setting of a kind.
type Field struct {
	Name string
	Doc  string // completes the sentence "KIND: ..." in the descriptions of the interface; empty: the name says all
	Form Form   // the zero value is Text
	// Values are the only allowed values, for the descriptions of the interface. nil: Doc describes the values.
	Values []string
	// Default is the default value of a setting with Values. For a setting without Values, Doc tells the default.
	Default string
	// Secret says that the value is stored encrypted and never returned. Only the scheme and host of an endpoint are
	// returned.
	Secret   bool
	Required bool // a connection does not work without the setting
	Standing bool // only a saved connection has the setting; a movie's destination cannot
	Bound    bool // the setting determines where secrets are sent, or how they are protected on the way
	check    func(value string) bool
	wants    string // completes the error message "NAME must be ..."
}

var (
	anyText = Field{check: func(s string) bool {
		return utf8.RuneCountInString(s) <= 4096 && !strings.ContainsFunc(s, unicode.IsControl)
	}, wants: "a text of at most 4096 characters on one line"}
	anyLines = Field{check: func(s string) bool { return len(s) <= 64<<10 }, wants: "a text of at most 64 KB"}
	flag     = Field{Form: Flag, check: func(s string) bool { return s == "true" || s == "false" }, wants: "true or false"}
	port     = Field{Form: Number, Bound: true, check: func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n > 0 && n < 65536
	}, wants: "a number from 1 to 65535"}
	host = Field{Bound: true, check: func(s string) bool {
		return hosts.MatchString(s)
	}, wants: "a host name or address, without scheme, path or port"}
	address = Field{Bound: true, check: checkAddress, wants: "an http or https address"}
	hostKey = Field{Bound: true, check: func(s string) bool {
		return hostKeys.MatchString(s)
	}, wants: "a fingerprint such as SHA256:…, as ssh-keygen -l prints it"}
	events = Field{Form: Events, check: checkEvents, Standing: true,
		wants: "a list of " + strings.Join(LiveEvents, ", ") + ", each at most once"}
	mails      = Field{check: checkMails, wants: fmt.Sprintf("one to %d e-mail addresses", MaxRecipients)}
	recipients = Field{Form: Addresses, check: mails.check, wants: mails.wants}
)

var (
	hosts    = form{regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`), 253}
	hostKeys = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}=?$`)
)

func (f Field) named(name string) Field { f.Name = name; return f }
func (f Field) required() Field         { f.Required = true; return f }
func (f Field) secret() Field           { f.Secret = true; return f }
func (f Field) bound() Field            { f.Bound = true; return f }
func (f Field) doc(text string) Field   { f.Doc = text; return f }

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

// ParseKind returns the kind with the given name.
func ParseKind(name string) (Kind, error) {
	if Kind(name).descriptor().kind == "" {
		names := Kinds()
		last := len(names) - 1
		return "", domain.Errorf(domain.Invalid, "type_invalid", "type must be %s or %s", strings.Join(names[:last], ", "), names[last])
	}
	return Kind(name), nil
}

// descriptor returns the descriptor of the kind. It returns the zero descriptor for an unknown kind.
func (k Kind) descriptor() descriptor {
	for _, d := range kinds {
		if d.kind == k {
			return d
		}
	}
	return descriptor{}
}

// Fields returns the settings that connections of the kind can have.
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

// Setting is a setting that connections of one or several kinds have.
type Setting struct {
	Field
	Text string // description of the setting, with the kinds that have the setting
}

// AllSettings returns the settings of all kinds, each name once. For kinds that describe it alike there is one description.
func AllSettings() []Setting {
	var all []Setting
	for _, d := range kinds {
		for _, f := range d.fields {
			if !slices.ContainsFunc(all, func(s Setting) bool { return s.Name == f.Name }) {
				all = append(all, Setting{Field: f, Text: describe(f.Name)})
			}
		}
	}
	return all
}

// describe returns the description of a setting: what it means for each kind that has it.
func describe(name string) string {
	var docs, sentences []string
	users := map[string][]string{}
	for _, d := range kinds {
		if f, there := d.kind.field(name); there {
			if len(users[f.Doc]) == 0 {
				docs = append(docs, f.Doc)
			}
			users[f.Doc] = append(users[f.Doc], string(d.kind))
		}
	}
	for _, doc := range docs {
		sentence := strings.Join(users[doc], ", ")
		if doc != "" {
			sentence += ": " + doc
		}
		sentences = append(sentences, sentence+".")
	}
	return strings.Join(sentences, " ")
}

// Origin returns scheme and host of the place to which settings lead. The other parts of an address may contain secrets. For a
// connection without a place, it returns the name of the kind and a colon.
func (k Kind) Origin(s Settings) string {
	if u, err := url.Parse(s["endpoint"]); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	place := k.descriptor().place
	switch {
	case s["host"] != "":
		return string(k) + "://" + strings.ToLower(s["host"])
	case place == nil:
		return string(k) + ":"
	}
	return place(s)
}

// Host returns the host of the place to which settings lead; empty: unknown. Deliveries to one folder of this machine count as
// deliveries to one host.
func (k Kind) Host(s Settings) string {
	if s["host"] != "" {
		return strings.ToLower(s["host"])
	}
	if u, err := url.Parse(s["endpoint"]); err == nil && u.Hostname() != "" {
		return strings.ToLower(u.Hostname())
	}
	if place := k.descriptor().place; place != nil {
		_, host, _ := strings.Cut(place(s), "://")
		return host
	}
	return ""
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

// Recipients returns the addresses to which an e-mail with these settings goes, each in the form of RFC 5322. No address, an
// invalid one, and more than MaxRecipients are refused as Invalid; connections that an earlier version of the program has
// saved may have such settings.
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
