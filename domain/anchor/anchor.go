// Package anchor decides when an anchor of the ledgers is made, and to which places it is sent. An anchor is a signed list of
// the ledgers' digests; kept elsewhere, it shows later changes of the ledgers. An installation has one stream of these events,
// so that only one of several keepers makes an anchor.
package anchor

import (
	"slices"
	"time"

	"moviola/domain"
)

// Stream is the name of the stream. A log has one such stream.
const Stream = "anchors-1"

const (
	// patience is the age at which a begun anchor counts as given up, because its process has died.
	patience = time.Hour
	// pause is the time from a failed try at a place to the next.
	pause = 15 * time.Minute
)

// Began says that a process begins to make an anchor for some places.
type Began struct {
	Worker string    `json:"worker" personal:"no"`
	Places []string  `json:"places" personal:"no"`
	At     time.Time `json:"at"`
}

// Sent says that an anchor is stored at a place.
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
	Reason string    `json:"reason" personal:"no"` // contains no secret
	At     time.Time `json:"at"`
}

// EventType is the persisted name.
func (Began) EventType() string { return "AnchorBegan" }

// EventType is the persisted name.
func (Sent) EventType() string { return "AnchorSent" }

// EventType is the persisted name.
func (NotSent) EventType() string { return "AnchorNotSent" }

// EventKey distinguishes the event from others of its type.
func (e Began) EventKey() string { return e.Worker + "/" + key(e.At) }

// EventKey distinguishes the event from others of its type.
func (e Sent) EventKey() string { return e.Place + "/" + e.Name + "/" + key(e.At) }

// EventKey distinguishes the event from others of its type.
func (e NotSent) EventKey() string { return e.Place + "/" + key(e.At) }

func key(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// standing is the state of one place: when its newest anchor was made, when a try has failed since, and whether a try is
// running.
type standing struct {
	sent, failed time.Time
	busy         time.Time // time at which an anchor for the place was begun whose result is not recorded yet; zero: none
}

// Schedule is the state of all places, folded from the stream of anchors.
type Schedule struct{ places map[string]standing }

// Apply folds one event.
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

// Next returns when the next anchor of a place is due.
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

// Begin decides to make an anchor for the places whose next anchor is due. It returns no event when no place's next anchor is
// due.
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
