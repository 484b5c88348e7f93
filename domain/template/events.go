package template

import (
	"strconv"
	"time"

	"moviola/domain"
)

// Body describes the stored movie JSON of a template.
type Body struct {
	Hash   string `json:"hash" personal:"no"` // hex SHA-256 of the movie JSON, which is stored under this name
	Size   int64  `json:"size"`               // size of the movie JSON in bytes
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Created is the first event of a template that was written by its owner.
type Created struct {
	Account domain.AccountID `json:"account"`
	Name    string           `json:"name" personal:"yes"`
	Tags    []string         `json:"tags,omitempty" personal:"yes"`
	Body    Body             `json:"body"`
	// Prompt is a prompt for a language model that is to write movies like the template's.
	Prompt string    `json:"prompt,omitempty" personal:"yes"`
	At     time.Time `json:"at"`
}

// Updated replaces parts of a template. A nil part is not replaced.
type Updated struct {
	Change string    `json:"change" personal:"no"` // id of the request, so that two updates at the same time are two events
	Name   *string   `json:"name,omitempty" personal:"yes"`
	Tags   *[]string `json:"tags,omitempty" personal:"yes"`
	Body   *Body     `json:"body,omitempty"`
	Prompt *string   `json:"prompt,omitempty" personal:"yes"`
	At     time.Time `json:"at"`
}

// Duplicated is the first event of a template that was copied from another template.
type Duplicated struct {
	Source         ID               `json:"source"`
	SourceRevision int64            `json:"source_revision"`
	Account        domain.AccountID `json:"account"`
	Name           string           `json:"name" personal:"yes"`
	Tags           []string         `json:"tags,omitempty" personal:"yes"`
	Body           Body             `json:"body"`
	Prompt         string           `json:"prompt,omitempty" personal:"yes"`
	At             time.Time        `json:"at"`
}

// Published puts a template into the library of templates, with an example, a rendered movie of the template. Publishing again
// replaces the example.
type Published struct {
	Change  int       `json:"change"` // number of the change among publishings and unpublishings: 1, 2, ...
	Example Example   `json:"example"`
	At      time.Time `json:"at"`
}

// Example is a rendered movie of a template.
type Example struct {
	Project   domain.ProjectID `json:"project"`                 // the movie that was rendered
	Body      string           `json:"body" personal:"no"`      // hash of the template's body from which the movie was rendered
	Video     string           `json:"video" personal:"no"`     // blob key of the MP4
	Thumbnail string           `json:"thumbnail" personal:"no"` // blob key of the JPEG
}

// Unpublished takes a template out of the template library. An example movie of the template that was requested before this
// event does not put the template back.
type Unpublished struct {
	Change int       `json:"change"`
	At     time.Time `json:"at"`
}

// Deleted ends a template. Its bodies are kept for a while, because movies that were submitted before can still be
// rendered.
type Deleted struct {
	At time.Time `json:"at"`
}

// Swept records that the bodies and examples of a deleted template have been removed.
type Swept struct {
	At time.Time `json:"at"`
}

// EventType implements domain.Event.
func (Created) EventType() string { return "TemplateCreated" }

// EventType implements domain.Event.
func (Updated) EventType() string { return "TemplateUpdated" }

// EventType implements domain.Event.
func (Duplicated) EventType() string { return "TemplateDuplicated" }

// EventType implements domain.Event.
func (Published) EventType() string { return "TemplatePublished" }

// EventType implements domain.Event.
func (Unpublished) EventType() string { return "TemplateUnpublished" }

// EventType implements domain.Event.
func (Deleted) EventType() string { return "TemplateDeleted" }

// EventType implements domain.Event.
func (Swept) EventType() string { return "TemplateSwept" }

// EventKey implements domain.Event. The key is empty, because a template is created once.
func (Created) EventKey() string { return "" }

// EventKey implements domain.Event.
func (e Updated) EventKey() string { return e.Change }

// EventKey implements domain.Event. The key is empty, because a template is created once.
func (Duplicated) EventKey() string { return "" }

// EventKey implements domain.Event. Two processes that publish at the same time append the same event.
func (e Published) EventKey() string { return strconv.Itoa(e.Change) }

// EventKey implements domain.Event.
func (e Unpublished) EventKey() string { return strconv.Itoa(e.Change) }

// EventKey implements domain.Event. The key is empty, because a template is deleted once.
func (Deleted) EventKey() string { return "" }

// EventKey implements domain.Event. The key is empty, because a template is swept once.
func (Swept) EventKey() string { return "" }
