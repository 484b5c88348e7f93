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

// newerTries concerns a batch that has an event younger than newerAge which only a newer version of the program can
// read. The projector tries such a batch again and again. At the try with the number newerTries, it leaves the event
// and all later ones of its stream out of the read models: see Unread. Tries that fail for another reason, such as an
// outage of the document store, do not count. The tries before usually take about a second, with their pauses. In this
// time a process of the newer version can fold the event.
const newerTries = 7

// newerAge is the age from which the projector leaves out an event that only a newer version of the program can read.
// For a younger event it waits first: a process of the newer version may fold it.
const newerAge = 10 * time.Second

// Unread is a stream that is not folded into a generation of the read models from one event on. A newer version of the
// program has written that event, and the program that folded the log could not read it. The documents of the stream
// stay as they were before the event. A program that can read the event rebuilds the read models in the background.
type Unread struct {
	Stream   string    `json:"stream"`
	Revision int64     `json:"revision"` // revision of the event that could not be read
	Type     string    `json:"type"`     // type of the event
	Version  int       `json:"version"`  // version of the event's payload, as its metadata says
	Account  string    `json:"account"`
	Created  time.Time `json:"created"` // creation time of the event
}

// unreadsOf returns the collection that names the streams which are no longer folded into a generation: see Unread. The
// collection is dropped together with the generation.
func unreadsOf(generation int64) Collection {
	return Collection{Name: fmt.Sprintf("unread_%d", generation)}
}

// loadUnread reads which streams are no longer folded into a generation: see Unread. The keys of the result are the
// streams' names.
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

// read decodes those events of a batch that come after the checkpoint `at`. It leaves out those that are no longer
// folded because their streams are in unread: see Unread.
//
// When it finds an event of a type or version that this program does not know, it leaves out this event and all later
// ones of its stream, and returns the stream as a new Unread. But with patient, it returns errNewer if the event is
// younger than newerAge. After any other error of decoding, it returns that error.
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

// lacks reports whether an event is still to be folded: it comes after the checkpoint `at`, and it is not among the
// events that are left out because the program cannot read its stream from some event on (unread).
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

// note returns the writes that record in the document store which further streams are no longer folded: those in found.
func (p *projector) note(found []Unread) []Write {
	writes := make([]Write, len(found))
	for i, u := range found {
		writes[i] = Write{Collection: unreadsOf(p.generation).Name, ID: u.Stream, Document: u}
	}
	return writes
}

// warn logs the streams in found, which are no longer folded from the batch on that was just committed: see Unread. It
// is called once for a batch, not for each try.
func (p *projector) warn(found []Unread) {
	for _, u := range found {
		p.config.Logger.WithFields(map[string]any{"stream": u.Stream, "revision": u.Revision, "type": u.Type, "version": u.Version}).
			Warn("a newer version of the program has written an event: the read models do not follow its stream until " +
				"such a version runs")
	}
}

// standing knows which streams are no longer folded into the current generation: see Unread. It is safe for concurrent
// use.
type standing struct {
	streams atomic.Pointer[map[string]Unread]
}

func (s *standing) all() map[string]Unread {
	if streams := s.streams.Load(); streams != nil {
		return *streams
	}
	return nil
}

// still reports whether a stream is no longer folded into the current generation, so that its document lacks events:
// see Unread.
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

// mayList returns an *UnreadError when a list of the account's documents of a read model might show an outdated
// document: one whose stream is no longer folded, because the program could not read an event of it.
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

// Unread returns the streams that are no longer folded into the read models, because the program that folded the log
// could not read one of their events. The list may be a second old.
func (r *Reader) Unread() []Unread {
	var out []Unread
	for _, u := range r.at.standing.all() {
		out = append(out, u)
	}
	return out
}

// lookForUnread reads from the document store which streams are no longer folded into the current generation: see
// Unread.
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
