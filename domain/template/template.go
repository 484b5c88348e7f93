// Package template holds saved templates: movies with variables that are rendered by reference. The package decides who may
// change a template and which name the template gets. The movie JSON is stored outside of the events, under its hash. Packages
// document and expand fill templates in.
package template

import (
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// ID names a template: 20 characters of [A-Za-z0-9].
type ID string

// idLength is the length of an id in code points. Spec: Template; decision 7.
const idLength = 20

// The bounds of a template. Spec: Limits; decisions 10 and 41.
const (
	MaxName    = 100     // maximum length of a name in code points
	MaxBody    = 102_400 // maximum size of a movie's JSON in bytes
	maxPrompt  = 20_000  // maximum length of a prompt in bytes
	maxTags    = 64_000  // maximum length of all tags together in bytes: they are part of an event
	copySuffix = " (custom)"
)

// StreamCategory is the category of the streams of templates.
const StreamCategory = "template"

// Stream names the stream of a template.
func Stream(id ID) string { return StreamCategory + "-" + string(id) }

// ParseID reads the id of a template, and reports whether it is well formed.
func ParseID(text string) (ID, bool) {
	return ID(text), utf8.RuneCountInString(text) == idLength && domain.IsBase62(text)
}

// NewID makes a random id. random is its source of random bytes.
func NewID(random io.Reader) (ID, error) {
	text, err := domain.RandomText(random, idLength)
	return ID(text), err
}

// Template is one template. Before its first event only its id is set.
type Template struct {
	id      ID
	state   state
	owner   domain.AccountID
	name    string
	tags    []string
	body    Body
	prompt  string
	events  int64 // number of events in the stream so far
	changes int   // number of publishings and unpublishings
	// published reports whether the template is in the library of templates; example is its newest example there.
	published bool
	example   Example
	withdrawn int64 // revision of the newest event Unpublished in the template's stream
	deletedAt time.Time
}

type state int

const (
	unknown state = iota
	alive
	deleted
	swept // the template is deleted, and its bodies and examples are removed
)

// New returns the template with an id, without events.
func New(id ID) *Template { return &Template{id: id} }

// Apply folds one event of the template's stream.
func (t *Template) Apply(event domain.Event) {
	t.events++
	switch e := event.(type) {
	case Created:
		t.begin(e.Account, e.Name, e.Tags, e.Body, e.Prompt)
	case Duplicated:
		t.begin(e.Account, e.Name, e.Tags, e.Body, e.Prompt)
	case Updated:
		t.update(e)
	case Published:
		t.changes, t.published, t.example = e.Change, true, e.Example
	case Unpublished:
		t.changes, t.published, t.withdrawn = e.Change, false, t.Revision()
	case Deleted:
		t.state, t.published, t.deletedAt = deleted, false, e.At
	case Swept:
		t.state = swept
	}
}

func (t *Template) begin(owner domain.AccountID, name string, tags []string, body Body, prompt string) {
	t.state, t.owner, t.name, t.tags, t.body, t.prompt = alive, owner, name, tags, body, prompt
}

func (t *Template) update(e Updated) {
	if e.Name != nil {
		t.name = *e.Name
	}
	if e.Tags != nil {
		t.tags = *e.Tags
	}
	if e.Body != nil {
		t.body = *e.Body
	}
	if e.Prompt != nil {
		t.prompt = *e.Prompt
	}
}

// Exists reports whether the template was created and is not deleted.
func (t *Template) Exists() bool { return t.state == alive }

// Owner returns the account to which the template belongs.
func (t *Template) Owner() domain.AccountID { return t.owner }

// Body returns the description of the current movie JSON.
func (t *Template) Body() Body { return t.body }

// Name returns the name of the template.
func (t *Template) Name() string { return t.name }

// Revision returns the number of the template's last event in its stream, from 0.
func (t *Template) Revision() int64 { return t.events - 1 }

// Example returns the newest example of the template, and reports whether the template is in the library of templates.
func (t *Template) Example() (example Example, published bool) { return t.example, t.published }

// Changes returns how often the template was put into the library of templates, or taken out of it.
func (t *Template) Changes() int { return t.changes }

// Withdrawn reports whether an operator has taken the template out of the library of templates, and none has put it back.
func (t *Template) Withdrawn() bool { return t.state == alive && t.changes > 0 && !t.published }

// Rendered reports whether an account may render or duplicate the template, because it is the account's own or published.
// Decision 6.
func (t *Template) Rendered(by domain.AccountID) bool {
	return t.state == alive && (t.owner == by || t.published)
}

// Draft holds the parts of a new template.
type Draft struct {
	Name   string
	Tags   []string
	Body   Body
	Prompt string
}

// Create creates the template.
func (t *Template) Create(owner domain.AccountID, d Draft, now time.Time) ([]domain.Event, error) {
	d.Name = strings.TrimSpace(d.Name)
	if err := checkDraft(&d.Name, &d.Tags, &d.Body, &d.Prompt); err != nil {
		return nil, err
	}
	if t.state != unknown {
		return nil, domain.Errorf(domain.Conflict, "template_exists", "Template %s already exists", t.id)
	}
	return []domain.Event{Created{Account: owner, Name: d.Name, Tags: cleaned(d.Tags), Body: d.Body, Prompt: d.Prompt, At: now}}, nil
}

// Change holds the parts that an update replaces. A nil part is not replaced. Decision 41.
type Change struct {
	Request string // unique id of the request
	Name    *string
	Tags    *[]string
	Body    *Body
	Prompt  *string
}

// Update replaces parts of the template. Templates of other accounts and those that do not exist are refused in the same way.
// Decision 6.
func (t *Template) Update(by domain.AccountID, c Change, now time.Time) ([]domain.Event, error) {
	if t.state != alive || t.owner != by {
		return nil, domain.Errorf(domain.Forbidden, "template_not_owned", "Template %s is not owned by you", t.id)
	}
	e := Updated{Change: c.Request, Name: c.Name, Tags: c.Tags, Body: c.Body, Prompt: c.Prompt, At: now}
	if c.Name != nil {
		name := strings.TrimSpace(*c.Name)
		e.Name = &name
	}
	if c.Tags != nil {
		tags := cleaned(*c.Tags)
		e.Tags = &tags
	}
	if err := checkDraft(e.Name, e.Tags, e.Body, e.Prompt); err != nil {
		return nil, err
	}
	return []domain.Event{e}, nil
}

// DuplicateName returns the name of a copy of this template: the requested name, or this template's name with a suffix, cut to
// the allowed length. Decision 41.
func (t *Template) DuplicateName(wanted string) string {
	if wanted = strings.TrimSpace(wanted); wanted != "" {
		return wanted
	}
	runes := []rune(t.name)
	return string(runes[:min(len(runes), MaxName-utf8.RuneCountInString(copySuffix))]) + copySuffix
}

// Duplicate creates the template as a copy of source, owned by an account. body describes the movie JSON of the copy, in which
// variables of source may have other values.
func (t *Template) Duplicate(
	source *Template, owner domain.AccountID, name string, body Body, now time.Time,
) ([]domain.Event, error) {
	if !source.Rendered(owner) {
		return nil, source.notFound()
	}
	name = source.DuplicateName(name)
	if err := checkDraft(&name, nil, &body, nil); err != nil {
		return nil, err
	}
	if t.state != unknown {
		return nil, domain.Errorf(domain.Conflict, "template_exists", "Template %s already exists", t.id)
	}
	return []domain.Event{Duplicated{
		Source: source.id, SourceRevision: source.Revision(), Account: owner, Name: name, Tags: source.tags, Body: body,
		Prompt: source.prompt, At: now,
	}}, nil
}

// Delete ends the template. A template that does not exist, or belongs to another account, is NotFound.
func (t *Template) Delete(by domain.AccountID, now time.Time) ([]domain.Event, error) {
	if t.state != alive || t.owner != by {
		return nil, t.notFound()
	}
	return []domain.Event{Deleted{At: now}}, nil
}

// Sweep records that the bodies and examples of a deleted template were removed. They are kept for the duration `kept`
// after the deletion. Sweep returns no event if the template is not deleted, if that duration has not passed, or if Sweep
// has recorded the removal before.
func (t *Template) Sweep(now time.Time, kept time.Duration) []domain.Event {
	if t.state != deleted || now.Before(t.deletedAt.Add(kept)) {
		return nil
	}
	return []domain.Event{Swept{At: now}}
}

// Awaits reports whether a rendered movie may become the template's example in the template library. body is the hash of the
// template body of which the movie was made. requested is the template's revision when the movie was submitted. The body
// must be the template's present one, and the template's newest example must be of another body. The template must not have
// been taken out of the library after that revision, because an operator who has done so does not want it back. Decision 42.
func (t *Template) Awaits(body string, requested int64) bool {
	return t.state == alive && t.body.Hash == body && t.lacks(body, requested)
}

func (t *Template) lacks(body string, requested int64) bool {
	return t.example.Body != body && requested >= t.withdrawn
}

// Publish puts the template into the library of templates, with an example; requested is the template's revision when the example
// was submitted. It returns no event when the newest example is of the same body, or when the template was taken out of the
// library after that revision, so that it is not put back without an operator.
func (t *Template) Publish(example Example, requested int64, now time.Time) ([]domain.Event, error) {
	if t.state != alive {
		return nil, t.notFound()
	}
	if !t.lacks(example.Body, requested) {
		return nil, nil
	}
	return []domain.Event{Published{Change: t.changes + 1, Example: example, At: now}}, nil
}

// Republish puts the template back into the library of templates, with its newest example. It returns no event when the template
// is in the library, or when the newest example was rendered from another body: a new example has to be rendered then.
func (t *Template) Republish(now time.Time) ([]domain.Event, error) {
	if t.state != alive {
		return nil, t.notFound()
	}
	if t.published || t.example.Body != t.body.Hash {
		return nil, nil
	}
	return []domain.Event{Published{Change: t.changes + 1, Example: t.example, At: now}}, nil
}

// Unpublish takes the template out of the template library. It also returns an event when the template is not in the
// library: an example of it may be in work, and the event prevents that this example puts the template there (see Awaits).
func (t *Template) Unpublish(now time.Time) ([]domain.Event, error) {
	if t.state != alive {
		return nil, t.notFound()
	}
	return []domain.Event{Unpublished{Change: t.changes + 1, At: now}}, nil
}

func (t *Template) notFound() error { return NotFound(t.id) }

// NotFound refuses a template that does not exist, or that the account must not see. Decision 6: the answer does not tell
// which is the case.
func NotFound(id ID) error {
	return domain.Errorf(domain.NotFound, "template_not_found", "Template %s not found", id)
}

// TooLarge refuses a movie that is too large for a template. Spec: Errors, POST /templates: status 500.
func TooLarge() error {
	return domain.Errorf(domain.Internal, "template_movie_invalid", "Template movie is not valid JSON or it's too large")
}

// checkDraft checks the given parts of a template. A nil part is not given.
func checkDraft(name *string, tags *[]string, body *Body, prompt *string) error {
	switch {
	case name != nil && *name == "":
		return domain.Errorf(domain.Invalid, "name_required", "name is required")
	case name != nil && utf8.RuneCountInString(*name) > MaxName:
		return domain.Errorf(domain.Invalid, "name_too_long", "name must be at most %d characters", MaxName)
	case body != nil && body.Size > MaxBody:
		return TooLarge()
	case prompt != nil && len(*prompt) > maxPrompt:
		return domain.Errorf(domain.Invalid, "prompt_too_long", "prompt must be at most %d bytes", maxPrompt)
	}
	if tags != nil {
		size := 0
		for _, tag := range *tags {
			size += len(tag)
		}
		if size > maxTags {
			return domain.Errorf(domain.Invalid, "tags_too_long", "tags must be at most %d bytes together", maxTags)
		}
	}
	return nil
}

// cleaned returns the tags without surrounding blanks, empty tags and repetitions.
func cleaned(tags []string) []string {
	out := []string{}
	for _, tag := range tags {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}
