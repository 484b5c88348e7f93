package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
)

// readAhead is how many events a read prefetches. It is small because an event may have 1 MB.
const readAhead = 16

// everything is the count of a read without an end.
const everything = math.MaxInt64

// ReadStream implements eventstore.Store.
func (s *Store) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	options := esdb.ReadStreamOptions{Direction: esdb.Forwards, From: esdb.Revision(uint64(max(from, 0)))}
	count := uint64(everything)
	if dir == eventstore.Backwards {
		options.Direction = esdb.Backwards
		if from < 0 {
			options.From = esdb.End{}
		}
	}
	open := func(ctx context.Context, client *esdb.Client) (*esdb.ReadStream, error) {
		return client.ReadStream(ctx, stream, options, count)
	}
	return func(yield func(eventstore.Recorded, error) bool) {
		for recorded, err := range s.pool.read(ctx, open) {
			if err != nil {
				err = fmt.Errorf("read stream %s: %w", stream, err)
			}
			if !yield(recorded, err) {
				return
			}
		}
	}
}

// ReadAll implements eventstore.Store.
func (s *Store) ReadAll(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for recorded, err := range s.ReadEverything(ctx, dir, from) {
			if err == nil && isSystem(recorded.Type) {
				continue
			}
			if !yield(recorded, err) {
				return
			}
		}
	}
}

// ReadEverything is ReadAll including system events.
func (s *Store) ReadEverything(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	options := esdb.ReadAllOptions{Direction: esdb.Forwards, From: esdb.Position{Commit: from.Commit, Prepare: from.Prepare}}
	fromEdge := from == (eventstore.Position{})
	switch {
	case dir == eventstore.Backwards && fromEdge:
		options.Direction, options.From = esdb.Backwards, esdb.End{}
	case dir == eventstore.Backwards:
		options.Direction = esdb.Backwards
	case fromEdge:
		options.From = esdb.Start{}
	}
	open := func(ctx context.Context, client *esdb.Client) (*esdb.ReadStream, error) {
		return client.ReadAll(ctx, options, everything)
	}
	return func(yield func(eventstore.Recorded, error) bool) {
		for recorded, err := range s.pool.read(ctx, open) {
			if err != nil {
				yield(recorded, fmt.Errorf("read the log: %w", err))
				return
			}
			// Reading forwards, the server first returns the event at the position itself, which the caller has already seen.
			if recorded.Position == from {
				continue
			}
			if !yield(recorded, nil) {
				return
			}
		}
	}
}

// Head implements eventstore.Store.
func (s *Store) Head(ctx context.Context) (eventstore.Position, error) {
	open := func(ctx context.Context, client *esdb.Client) (*esdb.ReadStream, error) {
		return client.ReadAll(ctx, esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
	}
	for recorded, err := range s.pool.read(ctx, open) {
		if err != nil {
			return eventstore.Position{}, fmt.Errorf("read the end of the log: %w", err)
		}
		return recorded.Position, nil
	}
	return eventstore.Position{}, nil
}

func isSystem(kind string) bool { return strings.HasPrefix(kind, "$") }

// item is an event of a read, or the end of the read: err is io.EOF when all events were read.
type item struct {
	event eventstore.Recorded
	err   error
}

// read yields the events of the client's read. The client is called in a goroutine of its own, since it may block.
func (p *pool) read(
	ctx context.Context, open func(context.Context, *esdb.Client) (*esdb.ReadStream, error),
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		permit, err := p.admit(ctx, p.reads)
		if err != nil {
			yield(eventstore.Recorded{}, err)
			return
		}
		inner, cancel := context.WithCancel(toLeader(ctx, permit.session.pass))
		defer cancel()
		items := make(chan item, readAhead)
		if !p.launch(func() {
			defer permit.giveBack()
			p.pump(inner, permit.session, open, items)
		}) {
			permit.giveBack()
			yield(eventstore.Recorded{}, errClosed)
			return
		}
		for {
			next := p.receive(ctx, permit, items)
			if errors.Is(next.err, io.EOF) || !yield(next.event, next.err) || next.err != nil {
				return
			}
		}
	}
}

// receive waits for the next item, or for a reason to abandon the read.
func (p *pool) receive(ctx context.Context, permit permit, items <-chan item) item {
	select {
	case next := <-items: // first without waiting, because most items are prefetched
		return ofCaller(ctx, next)
	default:
	}
	patience := time.NewTimer(silence)
	defer patience.Stop()
	for {
		select {
		case next := <-items:
			return ofCaller(ctx, next)
		case <-ctx.Done():
			return item{err: ctx.Err()}
		case <-permit.lost:
			return item{err: errLost}
		case <-permit.session.left:
			return item{err: errLost}
		case <-p.life.Done():
			return item{err: errClosed}
		case <-patience.C:
			p.suspect(permit.session)
			patience.Reset(doubt)
		}
	}
}

// ofCaller converts an item's error to the one that the caller of the read should see.
func ofCaller(ctx context.Context, next item) item {
	if next.err != nil && !errors.Is(next.err, io.EOF) {
		next.err = outcomeError(ctx, next.err)
	}
	return next
}

// pump forwards a read's events until the read ends or ctx does.
func (p *pool) pump(
	ctx context.Context, session *session, open func(context.Context, *esdb.Client) (*esdb.ReadStream, error), items chan<- item,
) {
	stream, err := guarded(func() (*esdb.ReadStream, error) { return open(ctx, session.client) })
	if err == nil {
		defer stream.Close()
	}
	for {
		var next item
		if err == nil {
			var resolved *esdb.ResolvedEvent
			if resolved, err = guarded(stream.Recv); err == nil {
				next.event = fromClient(resolved.OriginalEvent())
			}
		}
		next.err = endOfRead(err)
		p.watch(session, next.err)
		select {
		case items <- next:
		case <-ctx.Done():
			return
		}
		if next.err != nil {
			return
		}
	}
}

// endOfRead distinguishes the ends of a read: io.EOF when everything was read, also for a missing stream; any other error
// when the read has failed or was cut short. A missing stream is reported by a message of the read. The status NOT_FOUND
// comes from a node of a cluster that is not the leader, and says nothing about the stream (Decision 60).
func endOfRead(err error) error {
	if isCode(err, esdb.ErrorCodeResourceNotFound) && status.Code(err) != codes.NotFound {
		return io.EOF
	}
	return err
}

func fromClient(event *esdb.RecordedEvent) eventstore.Recorded {
	return eventstore.Recorded{
		ID:       event.EventID,
		Stream:   event.StreamID,
		Revision: eventstore.Revision(event.EventNumber),
		Position: eventstore.Position{Commit: event.Position.Commit, Prepare: event.Position.Prepare},
		Type:     event.EventType,
		Data:     event.Data,
		Metadata: event.UserMetadata,
		Created:  event.CreatedDate.UTC(),
	}
}
