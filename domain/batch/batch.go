// Package batch holds batches: many movies of one template, one for each valid row of variables. It has the rules for rows,
// for reading them from JSON and CSV, and for the steps of a batch. Decision 63.
//
//	requested ─► accepted ─► submitted ─► finished     each row has its movie, each movie has ended
//	    ├────────────┴──────────┴─► cancelled ─► closed ─► finished
//	    └─► refused ─► closed
package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// ID names a batch: 16 characters of [A-Za-z0-9].
type ID = domain.BatchID

const (
	idLength = 16 // length of an id in code points; decision 7
	timePart = 5  // number of characters at the start of the id that encode the time, as in the ids of movies
)

// ParseID accepts any text of 16 code points. A text with other characters than [A-Za-z0-9] is accepted, but no batch has
// that id.
func ParseID(s string) (ID, bool) { return ID(s), utf8.RuneCountInString(s) == idLength }

// Project returns the id of the movie of a row. It is derived from batch and row alone, so that a process that continues after
// a crash uses the same id.
func Project(id ID, row int) domain.ProjectID {
	sum := sha256.Sum256([]byte(string(id) + "/" + strconv.Itoa(row)))
	return domain.ProjectID(string(id[:timePart]) + domain.Base62(binary.BigEndian.Uint64(sum[:]), idLength-timePart))
}

// Batch is one batch, folded from its stream.
type Batch struct {
	requested *Requested
	refused   *Refused
	accepted  bool
	submitted bool
	cancelled bool
	closed    bool
	finished  bool
	stopped   time.Time // when the batch was refused or cancelled
}

// New returns a batch without history.
func New() *Batch { return &Batch{} }

// Apply folds one event of the batch's stream.
func (b *Batch) Apply(event domain.Event) {
	switch e := event.(type) {
	case Requested:
		b.requested = &e
	case Accepted:
		b.accepted = true
	case Refused:
		b.refused, b.stopped = &e, e.At
	case Submitted:
		b.submitted = true
	case Cancelled:
		b.cancelled, b.stopped = true, e.At
	case Closed:
		b.closed = true
	case Finished:
		b.finished = true
	}
}

// Requested returns the request of the batch. It returns false before the request.
func (b *Batch) Requested() (Requested, bool) {
	if b.requested == nil {
		return Requested{}, false
	}
	return *b.requested, true
}

// Refused returns the refusal of the batch, or nil when it was not refused.
func (b *Batch) Refused() *Refused { return b.refused }

// Cancelled reports whether the owner has cancelled the batch.
func (b *Batch) Cancelled() bool { return b.cancelled }

// MayFinish reports whether the batch may be finished. ended says that every submitted movie has ended. A cancelled batch
// may be finished once it is closed, because its movies have ended or timed out then. A refused batch has no movies, and is
// never finished.
func (b *Batch) MayFinish(ended bool) bool {
	switch {
	case b.finished || b.refused != nil:
		return false
	case b.cancelled:
		return b.closed
	}
	return b.submitted && ended
}

// Finish records that every movie of the batch has ended. worker is the process that has found this out. Finish returns no event
// when this is recorded already, or when the batch cannot be finished.
func (b *Batch) Finish(ended bool, worker string, now time.Time) []domain.Event {
	if !b.MayFinish(ended) {
		return nil
	}
	return []domain.Event{Finished{Worker: worker, At: now}}
}

// Accepted reports whether the credits of all rows have been held.
func (b *Batch) Accepted() bool { return b.accepted }

// Step is the next thing to do for a batch.
type Step int

// The steps that a batch may need next.
const (
	Nothing  Step = iota
	Hold          // hold the credits of all rows
	Submit        // submit the movie of each row
	WindDown      // cancel or abandon the movie of each row
)

// Next returns the next step of the batch.
func (b *Batch) Next() Step {
	switch {
	case b.requested == nil || b.closed:
		return Nothing
	case b.cancelled || b.refused != nil:
		return WindDown
	case b.submitted:
		return Nothing
	case b.accepted:
		return Submit
	}
	return Hold
}

// Request begins a batch. The caller has checked the rows of r.
func (b *Batch) Request(r Requested) ([]domain.Event, error) {
	if b.requested != nil {
		return nil, nil
	}
	return []domain.Event{r}, nil
}

// Accept records that the credits are held. It returns no event when the batch is past that step.
func (b *Batch) Accept(now time.Time) []domain.Event {
	if b.Next() != Hold {
		return nil
	}
	return []domain.Event{Accepted{At: now}}
}

// Refuse ends a batch whose credits cannot be held. It returns no event when the batch is past that step.
func (b *Batch) Refuse(why *domain.Error, now time.Time) []domain.Event {
	if b.Next() != Hold {
		return nil
	}
	return []domain.Event{Refused{Code: why.Code, Message: why.Message, At: now}}
}

// Submit records that each valid row has its movie. It returns no event when the batch is past that step.
func (b *Batch) Submit(now time.Time) []domain.Event {
	if b.Next() != Submit {
		return nil
	}
	return []domain.Event{Submitted{Movies: len(b.requested.Rows), At: now}}
}

// Cancel ends a batch at its owner's request. A batch that does not exist, was refused, or belongs to another account is
// NotFound. One that has finished is a Conflict, decision 99. Cancel returns no event when the batch was cancelled before.
func (b *Batch) Cancel(id ID, by domain.AccountID, now time.Time) ([]domain.Event, error) {
	if b.requested == nil || b.requested.Account != by || b.refused != nil {
		return nil, NotFound(id)
	}
	switch {
	case b.cancelled:
		return nil, nil
	case b.finished:
		return nil, domain.Errorf(domain.Conflict, "batch_already_finished", "Batch %s has already finished", id)
	}
	return []domain.Event{Cancelled{At: now}}, nil
}

// MayBeHeld reports whether credits for a refused or cancelled batch may still be held at a time: by a process that began to
// hold them before, which takes no longer than the duration within.
func (b *Batch) MayBeHeld(within time.Duration, at time.Time) bool {
	return !b.accepted && at.Before(b.stopped.Add(within))
}

// Close records that nothing is left to do for a batch that was refused or cancelled.
func (b *Batch) Close(now time.Time) []domain.Event {
	if b.Next() != WindDown {
		return nil
	}
	return []domain.Event{Closed{Cancelled: b.cancelled, At: now}}
}

// NotFound returns the refusal for a batch that does not exist, was refused, or belongs to another account. Decision 6.
func NotFound(id ID) *domain.Error {
	return domain.Errorf(domain.NotFound, "batch_not_found", "Batch %s not found", id)
}
