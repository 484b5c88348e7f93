// Package domain holds the types that the subjects of the service share: events, identities, and the error whose text a
// client may read. The rules are in one folder for each subject, such as movie, ledger, account, key, document and timeline.
//
// Nothing below this folder reads a clock, draws a random number, logs or does I/O: time and identities come in as
// arguments, so that every decision can be repeated from its inputs.
package domain

import (
	"io"
	"time"
	"unicode/utf8"
)

// Event is a fact that has happened to one aggregate. The payload of an event is plain data, encoded as JSON by the event
// store's codec.
type Event interface {
	// EventType is the persisted name. It never changes, even when the Go type is renamed.
	EventType() string
	// EventKey distinguishes this event from others of its type in its stream ("2" for the second attempt). The event's
	// id is computed from stream, type and key, so that a retried append is the same event. Keys of claims contain the
	// worker's name, because two workers that claim at the same revision must not share an id.
	EventKey() string
}

// AccountID names an account: 16 characters of [A-Za-z0-9], or "default" for the account of the first start.
type AccountID string

// ProjectID names a movie and the render that makes it: 16 characters of [A-Za-z0-9].
type ProjectID string

// PreloadID names a preload batch: 16 characters of [A-Za-z0-9].
type PreloadID string

// BatchID names a batch of movies: 16 characters of [A-Za-z0-9].
type BatchID string

const (
	// projectIDLength is the length of a project id in code points. Spec: GET /movies, decision 7.
	projectIDLength = 16
	// timeLength is the number of characters of a project id that encode the time.
	timeLength = 5
)

// idsBegin is the point in time from which the time in ids is counted. The time in ids wraps around after 29 years.
var idsBegin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseProjectID accepts any text of 16 code points. A text with other characters than [A-Za-z0-9] is accepted, but no
// movie has that id. It returns false for every other length.
func ParseProjectID(s string) (ProjectID, bool) {
	return ProjectID(s), utf8.RuneCountInString(s) == projectIDLength
}

// NewProjectID makes a project id: five characters for the second at which it was made, so that ids sort by age and neighbours
// are stored together, and eleven random characters (65 bits).
func NewProjectID(random io.Reader, at time.Time) (ProjectID, error) {
	text, err := RandomText(random, projectIDLength-timeLength)
	return ProjectID(Base62(uint64(at.Unix()-idsBegin.Unix()), timeLength) + text), err
}
