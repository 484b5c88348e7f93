package projections

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"moviola/domain/batch"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/domain/template"
	"moviola/eventstore"
)

// errNewer says that a batch has an event that this program cannot read, and that another process may be about to project it.
var errNewer = errors.New("an event was written by a newer version of the program")

// newerTries is how often a batch with such an event is tried, in some 2.5 seconds, before its stream is left out: where a process of the
// newer version projects too, it comes first.
const newerTries = 7

// newerAge is the age from which on such an event is not waited for: another process would have come first already.
const newerAge = 10 * time.Second

// Unread is a stream of which a generation of the read models has nothing from an event on, because the program that projected could not
// read that event: a newer version had written it. Its documents stand still. A program that can read the event builds the read models
// anew in the background.
type Unread struct {
	Stream   string    `json:"stream"`
	Revision int64     `json:"revision"` // of the event
	Type     string    `json:"type"`     // of the event
	Version  int       `json:"version"`  // of the event's type; 0: its metadata cannot be read either
	Account  string    `json:"account"`
	Created  time.Time `json:"created"` // when the event store took the event
}

// unreadsOf is the collection of the unread streams of a generation. It is dropped with the generation.
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

// read decodes the events of a batch that are not in the documents yet. It leaves out those of unread streams, and returns the streams that
// become unread with this batch. While patient it returns errNewer instead.
func (p *projector) read(recorded []eventstore.Recorded, patient bool) ([]Event, []Unread, error) {
	var found []Unread
	left := make(map[string]bool)
	events := make([]Event, 0, len(recorded))
	for _, r := range recorded {
		if r.Position.Compare(p.checkpoint.position()) <= 0 || left[r.Stream] {
			continue
		}
		if u, known := p.unread[r.Stream]; known && int64(r.Revision) >= u.Revision {
			continue
		}
		e, err := decodeEvent(p.config.Log.Codec(), r)
		switch {
		case err == nil:
			events = append(events, e)
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

// note returns the writes that make streams unread, and says so in the log of the process.
func (p *projector) note(found []Unread) []Write {
	writes := make([]Write, len(found))
	for i, u := range found {
		writes[i] = Write{Collection: unreadsOf(p.generation).Name, ID: u.Stream, Document: u}
		p.config.Logger.WithFields(map[string]any{"stream": u.Stream, "revision": u.Revision, "type": u.Type, "version": u.Version}).
			Warn("an event was written by a newer version of this program: its stream stands still in the read models until such a version runs")
	}
	return writes
}

// standing knows the unread streams of the current generation. It is safe for concurrent use.
type standing struct {
	streams atomic.Pointer[map[string]Unread]
}

func (s *standing) all() map[string]Unread {
	if streams := s.streams.Load(); streams != nil {
		return *streams
	}
	return nil
}

// still tells whether a stream is unread: its document is not what its stream says.
func (s *standing) still(category, id string) bool {
	_, unread := s.all()[category+"-"+id]
	return unread
}

// UnreadError says that a list cannot be answered because events that belong to it were written by a newer version of the program.
// Decision 59.
type UnreadError struct{ Unread }

func (e *UnreadError) Error() string {
	return fmt.Sprintf("event %d of %s, %s version %d, was written by a newer version of the program", e.Revision, e.Stream, e.Type, e.Version)
}

// Unwrap implements the interface of package errors.
func (e *UnreadError) Unwrap() error { return eventstore.ErrUnknownType }

// categoryOf names the streams whose events the lists of a read model show to an account.
var categoryOf = map[string]string{
	movieModel.modelName: movie.StreamCategory, statementModel{}.name(): ledger.StreamCategory, keyModel.modelName: key.StreamCategory,
	mediaModel{}.name(): media.StreamCategory, folderModel{}.name(): media.StreamCategory, preloadModel.modelName: preload.StreamCategory,
	connectionModel.modelName: connection.StreamCategory, templateModel.modelName: template.StreamCategory,
	movieBatchModel.modelName: batch.StreamCategory,
	deliveryModel{}.name():    movie.StreamCategory, usageModel{}.name(): movie.StreamCategory, termModel{}.name(): movie.StreamCategory,
}

// mayList returns an *UnreadError when a list of an account would show an unread stream as it was.
func (s *standing) mayList(model, account string) error {
	for _, u := range s.all() {
		if category, _ := eventstore.SplitStream(u.Stream); u.Account == account && category == categoryOf[model] {
			return &UnreadError{u}
		}
	}
	return nil
}

// Unread returns the streams that stand still in the read models, as they were known a second ago.
func (r *Reader) Unread() []Unread {
	var out []Unread
	for _, u := range r.at.standing.all() {
		out = append(out, u)
	}
	return out
}

// lookForUnread reads which streams stand still.
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
