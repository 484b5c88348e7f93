package projections

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"moviola/eventstore"
)

// errNewer says that a batch has an event that this program cannot read; a process of a newer version may be about to project it.
var errNewer = errors.New("an event was written by a newer version of the program")

// newerTries is the number of the try of a batch at which the stream of an event of a newer version of the program becomes
// unread. The tries before, with their pauses, take about a second. This gives a process of the newer version the time to
// project the event.
const newerTries = 7

// newerAge is the age of an event of a newer version of the program from which on the projector does not wait for another process
// to project it.
const newerAge = 10 * time.Second

// Unread is a stream that a generation of the read models does not fold from some event on: a newer version of the program has
// written that event, and the program that projected could not read it. The documents of the stream no longer change. A program
// that can read the event rebuilds the read models in the background.
type Unread struct {
	Stream   string    `json:"stream"`
	Revision int64     `json:"revision"` // revision of the event that could not be read
	Type     string    `json:"type"`     // type of the event
	Version  int       `json:"version"`  // version of the event's payload, as its metadata says
	Account  string    `json:"account"`
	Created  time.Time `json:"created"` // creation time of the event
}

// unreadsOf is the collection of the unread streams of a generation. It is dropped together with the generation.
func unreadsOf(generation int64) Collection {
	return Collection{Name: fmt.Sprintf("unread_%d", generation)}
}

// loadUnread reads the unread streams of a generation.
func (c *catalogue) loadUnread(ctx context.Context, generation int64) (map[string]Unread, error) {
	rows := board[Unread]{docs: c.docs, collection: unreadsOf(generation).Name, what: "unread stream"}
	found, err := rows.all(ctx, Query{Index: IDIndex, Limit: MaxPage}, func(u Unread) []any { return []any{u.Stream} })
	if err != nil {
		return nil, err
	}
	unread := make(map[string]Unread, len(found))
	for _, u := range found {
		unread[u.Stream] = u
	}
	return unread, nil
}

// decoded is the result of decoding an event.
type decoded struct {
	event Event
	err   error
}

// read decodes the events of a batch that follow a checkpoint. It leaves out those of unread streams, and returns the streams
// that become unread with this batch. While patient is true, it returns errNewer instead for an event younger than newerAge.
func (p *projector) read(
	recorded []eventstore.Recorded, at Checkpoint, unread map[string]Unread, patient bool,
) ([]Event, []Unread, error) {
	results := p.decode(recorded, at, unread)
	var found []Unread
	left := make(map[string]bool)
	events := make([]Event, 0, len(recorded))
	for i, r := range recorded {
		if !lacks(r, at, unread) || left[r.Stream] {
			continue
		}
		switch err := results[i].err; {
		case err == nil:
			events = append(events, results[i].event)
		case !errors.Is(err, eventstore.ErrUnknownType):
			return nil, nil, err
		case patient && time.Since(r.Created) < newerAge:
			return nil, nil, fmt.Errorf("%w: %w", errNewer, err)
		default:
			left[r.Stream] = true
			u := Unread{Stream: r.Stream, Revision: int64(r.Revision), Type: r.Type, Created: millis(r.Created)}
			if _, meta, err := p.config.Log.Codec().Decode(r); errors.Is(err, eventstore.ErrUnknownType) {
				u.Version, u.Account = meta.Version, string(meta.Account)
			}
			found = append(found, u)
		}
	}
	return events, found, nil
}

// lacks reports whether the documents of a checkpoint lack an event and will get it: the stream is not unread from that event on.
func lacks(r eventstore.Recorded, at Checkpoint, unread map[string]Unread) bool {
	if r.Position.Compare(at.position()) <= 0 {
		return false
	}
	u, known := unread[r.Stream]
	return !known || int64(r.Revision) < u.Revision
}

// decodeTogether is the number of consecutive events that one goroutine decodes.
const decodeTogether = 256

// decode decodes those events of a batch that the documents lack.
func (p *projector) decode(recorded []eventstore.Recorded, at Checkpoint, unread map[string]Unread) []decoded {
	results := make([]decoded, len(recorded))
	pieces := (len(recorded) + decodeTogether - 1) / decodeTogether
	_ = p.crew.each(p.crew.hands(len(recorded)), pieces, func(piece int) error { // the results hold the errors
		for i := piece * decodeTogether; i < min(len(recorded), (piece+1)*decodeTogether); i++ {
			if lacks(recorded[i], at, unread) {
				results[i].event, results[i].err = decodeEvent(p.config.Log.Codec(), recorded[i])
			}
		}
		return nil
	})
	return results
}

// note returns the writes that record the streams which become unread.
func (p *projector) note(found []Unread) []Write {
	writes := make([]Write, len(found))
	for i, u := range found {
		writes[i] = Write{Collection: unreadsOf(p.generation).Name, ID: u.Stream, Document: u}
	}
	return writes
}

// warn logs the streams that have become unread with a batch. It is called when the batch is committed, not for each try.
func (p *projector) warn(found []Unread) {
	for _, u := range found {
		p.config.Logger.WithFields(map[string]any{"stream": u.Stream, "revision": u.Revision, "type": u.Type, "version": u.Version}).
			Warn("a newer version of the program has written an event: the read models do not follow its stream until " +
				"such a version runs")
	}
}

// standing holds the unread streams of the current generation. It is safe for concurrent use.
type standing struct {
	streams atomic.Pointer[map[string]Unread]
}

func (s *standing) all() map[string]Unread {
	if streams := s.streams.Load(); streams != nil {
		return *streams
	}
	return nil
}

// still reports whether a stream is unread: its document lacks events.
func (s *standing) still(category, id string) bool {
	_, unread := s.all()[category+"-"+id]
	return unread
}

// UnreadError says that a list cannot be answered, because a newer version of the program has written events that belong to it.
// Decision 59.
type UnreadError struct{ Unread }

func (e *UnreadError) Error() string {
	return fmt.Sprintf("event %d of %s, %s version %d, was written by a newer version of the program", e.Revision, e.Stream,
		e.Type, e.Version)
}

// Unwrap implements the interface of package errors.
func (e *UnreadError) Unwrap() error { return eventstore.ErrUnknownType }

// mayList returns an *UnreadError when a list of an account would show an outdated document of an unread stream.
func (s *standing) mayList(m model, account string) error {
	list, ok := m.(lister)
	if !ok {
		return nil
	}
	for _, u := range s.all() {
		if category, _ := eventstore.SplitStream(u.Stream); u.Account == account && category == list.listed() {
			return &UnreadError{u}
		}
	}
	return nil
}

// Unread returns the streams that the read models do not fold to their ends, because a program that projected could not read
// an event. The list may be a second old.
func (r *Reader) Unread() []Unread {
	var out []Unread
	for _, u := range r.at.standing.all() {
		out = append(out, u)
	}
	return out
}

// lookForUnread reads the unread streams again.
func (r *Reader) lookForUnread(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, behindTime)
	defer cancel()
	generation := r.at.current.Load().Generation
	found, err := r.at.loadUnread(ctx, generation)
	if err == nil && r.at.current.Load().Generation == generation {
		r.at.standing.streams.Store(&found)
	}
	return err
}
