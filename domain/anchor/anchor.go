// Package anchor decides when an anchor of the ledgers is made, and to which places it is sent. An anchor is a signed list
// of the digests of all ledgers. A copy that is kept at another place shows later changes of the ledgers. An installation
// has one stream of the events of this package, so that usually only one of several keepers makes an anchor for a place.
package anchor

import (
	"slices"
	"time"

	"moviola/domain"
)

// Stream is the name of the stream of anchors. A log has one such stream.
const Stream = "anchors-1"

const (
	// patience is the time after which an anchor that was begun and not sent counts as given up, because its process has died.
	patience = time.Hour
	// pause is the time from a failed try at a place to the next try at that place.
	pause = 15 * time.Minute
)

// Began says that a process begins to make an anchor for some places. A place is a storage outside of the installation that
// keeps anchors. Places holds the places' labels, which contain no secret.
type Began struct {
	Worker string    `json:"worker" personal:"no"`
	Places []string  `json:"places" personal:"no"`
	At     time.Time `json:"at"`
}

// Sent says that an anchor was stored at a place, which is a storage outside of the installation.
type Sent struct {
	Place   string    `json:"place" personal:"no"`
	Name    string    `json:"name" personal:"no"`   // name of the anchor
	Digest  string    `json:"digest" personal:"no"` // SHA-256 of the signed anchor, in hex
	Ledgers int64     `json:"ledgers"`
	Events  int64     `json:"events"`
	At      time.Time `json:"at"` // when the anchor was made
}

// NotSent says that a try to make an anchor and to store it at a place has failed.
type NotSent struct {
	Place  string    `json:"place" personal:"no"`
	Reason string    `json:"reason" personal:"no"` // why the try failed; contains no secret
	At     time.Time `json:"at"`
}

// EventType is the name of the type under which the event is stored.
func (Began) EventType() string { return "AnchorBegan" }

// EventType is the name of the type under which the event is stored.
func (Sent) EventType() string { return "AnchorSent" }

// EventType is the name of the type under which the event is stored.
func (NotSent) EventType() string { return "AnchorNotSent" }

// EventKey distinguishes the event from others of its type.
func (e Began) EventKey() string { return e.Worker + "/" + key(e.At) }

// EventKey distinguishes the event from others of its type.
func (e Sent) EventKey() string { return e.Place + "/" + e.Name + "/" + key(e.At) }

// EventKey distinguishes the event from others of its type.
func (e NotSent) EventKey() string { return e.Place + "/" + key(e.At) }

func key(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// standing is the state of one place (a storage that keeps anchors). sent is the time at which the place's newest anchor
// was made. failed is the time of the newest failed try since then. The zero time means: none.
type standing struct {
	sent, failed time.Time
	// busy is the time at which an anchor for the place was begun whose result is not recorded yet; zero: none is begun.
	busy time.Time
}

// Schedule is the state of all places (storages that keep anchors), folded from the stream of anchors.
type Schedule struct{ places map[string]standing }

// Apply folds one event of the stream of anchors.
func (s *Schedule) Apply(event domain.Event) {
	if s.places == nil {
		s.places = map[string]standing{}
	}
	change := func(place string, do func(*standing)) {
		one := s.places[place]
		do(&one)
		s.places[place] = one
	}
	switch e := event.(type) {
	case Began:
		for _, place := range e.Places {
			change(place, func(one *standing) { one.busy = e.At })
		}
	case Sent:
		change(e.Place, func(one *standing) { *one = standing{sent: e.At} })
	case NotSent:
		change(e.Place, func(one *standing) { one.failed, one.busy = e.At, time.Time{} })
	}
}

// Next returns when the next anchor of a place is due; the zero time: at once. every is the time from one anchor to the
// next.
func (s *Schedule) Next(place string, every time.Duration) time.Time {
	one := s.places[place]
	due := one.sent
	if !due.IsZero() {
		due = due.Add(every)
	}
	for _, other := range []struct {
		since time.Time
		wait  time.Duration
	}{{one.failed, pause}, {one.busy, patience}} {
		if !other.since.IsZero() && other.since.Add(other.wait).After(due) {
			due = other.since.Add(other.wait)
		}
	}
	return due
}

// LastSent returns the time at which the newest anchor of a place was made; zero: the place has no anchor.
func (s *Schedule) LastSent(place string) time.Time { return s.places[place].sent }

// Begin decides to make one anchor for all places whose next anchor is due. A place is a storage that keeps anchors; every
// is the time from one anchor to the next. The result due holds the due places. When no place is due, Begin returns no
// event.
func (s *Schedule) Begin(
	worker string, places []string, every time.Duration, now time.Time,
) (due []string, events []domain.Event) {
	for _, place := range places {
		if !s.Next(place, every).After(now) && !slices.Contains(due, place) {
			due = append(due, place)
		}
	}
	if len(due) == 0 {
		return nil, nil
	}
	return due, []domain.Event{Began{Worker: worker, Places: due, At: now}}
}
