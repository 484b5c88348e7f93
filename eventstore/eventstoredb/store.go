// Package eventstoredb implements eventstore.Store with the official client, for EventStoreDB and for the embedded server
// that speaks its protocol. It adds what the client lacks: calls that end with their context, quick failure while the
// server is unavailable, recovery when it is available again, and a Close that is safe while calls run.
//
// The client's calls may block for as long as an outage lasts, even when their context has ended, and closing the client
// during a call ends the process. So every call of the client runs in a goroutine of its own; the caller waits beside it
// and returns when its context ends. The appends and reads that run at the same time have a fixed maximum. While the server
// is unavailable, one goroutine probes it, and calls are refused at a gate after a short wait instead of piling up.
package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"moviola/eventstore"
)

var _ eventstore.Store = (*Store)(nil)

// Config names the server.
type Config struct {
	// ConnectionString is an esdb:// or esdb+discover:// address. Exactly one of ConnectionString and Addr is set.
	ConnectionString string
	// Addr is the plaintext address of one server, as embedded.Server.Addr gives it: "unix:///path" or "host:port".
	Addr string
	// Patience is how long calls wait for the server until it has been reached once, at least a second. It is meant for a
	// server in the same process, which does answer, though late on a busy machine.
	Patience time.Duration
	// Log receives messages, such as when the server becomes unavailable and when it returns, and at debug level the client's
	// own messages; nil discards them.
	Log logrus.FieldLogger
}

// Store is an eventstore.Store that uses the official client.
type Store struct {
	pool *pool
}

// maxAppendBytes is the maximum size of one append in bytes, the default of EventStoreDB.
const maxAppendBytes = 1 << 20

// Open prepares the connection; it does not wait for the server. Calls that are made before the server is available wait for it,
// as Config.Patience says, and then fail with eventstore.ErrUnavailable.
func Open(config Config) (*Store, error) {
	log := orDiscard(config.Log)
	settings, err := clientSettings(config, log)
	if err != nil {
		return nil, err
	}
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("prepare the event store's client: %w", err)
	}
	return &Store{pool: newPool(settings, log, config.Patience)}, nil
}

// Close ends the store: running calls end with an error, and the client is closed when the last call has returned. Close
// waits for this until ctx ends. It may be called more than once. During an outage calls may be stuck inside the client:
// Close then returns an error with that of ctx, and the client is closed when these calls have returned.
func (s *Store) Close(ctx context.Context) error { return s.pool.close(ctx) }

// Append implements eventstore.Store.
func (s *Store) Append(
	ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed,
) (eventstore.Appended, error) {
	if err := check(stream, expected, events); err != nil {
		return eventstore.Appended{}, err
	}
	// The expected revision is always exact: the client's default expects nothing, and the server guarantees idempotency only
	// with an expectation.
	options := esdb.AppendToStreamOptions{ExpectedRevision: esdb.NoStream{}}
	if expected != eventstore.NoStream {
		options.ExpectedRevision = esdb.Revision(uint64(expected))
	}
	written, err := run(ctx, s.pool, func(ctx context.Context, client *esdb.Client) (*esdb.WriteResult, error) {
		return client.AppendToStream(ctx, stream, options, toClient(events)...)
	})
	switch {
	case isCode(err, esdb.ErrorCodeWrongExpectedVersion):
		return eventstore.Appended{}, s.conflict(ctx, stream, expected)
	case err != nil:
		return eventstore.Appended{}, fmt.Errorf("append to %s: %w", stream, err)
	}
	return eventstore.Appended{
		Revision: eventstore.Revision(written.NextExpectedVersion),
		Position: eventstore.Position{Commit: written.CommitPosition, Prepare: written.PreparePosition},
	}, nil
}

func check(stream string, expected eventstore.Revision, events []eventstore.Proposed) error {
	if stream == "" || len(events) == 0 {
		return errors.New("an append needs the name of a stream and at least one event")
	}
	if expected < eventstore.NoStream {
		return fmt.Errorf("append to %s: %d is no revision", stream, expected)
	}
	size := 0
	for _, event := range events {
		if event.ID == uuid.Nil { // the client would make up an id, and a retry would not be recognised
			return fmt.Errorf("append to %s: an event of type %s has no id", stream, event.Type)
		}
		size += len(event.Data) + len(event.Metadata) + 2*len(event.Type)
	}
	if size > maxAppendBytes {
		return fmt.Errorf("append %d bytes to %s: %w", size, stream, eventstore.ErrTooLarge)
	}
	return nil
}

// conflict makes the error of a conflict. It reads the revision of the stream's newest event, which the client only gives
// as text. When other events were appended meanwhile, that is their later revision, which is as useful.
func (s *Store) conflict(ctx context.Context, stream string, expected eventstore.Revision) error {
	actual := eventstore.NoStream
	for last, err := range s.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if err != nil {
			return fmt.Errorf("after a conflict: %w", err)
		}
		actual = last.Revision
		break
	}
	return &eventstore.ConflictError{Stream: stream, Expected: expected, Actual: actual}
}

func toClient(events []eventstore.Proposed) []esdb.EventData {
	data := make([]esdb.EventData, len(events))
	for i, event := range events {
		data[i] = esdb.EventData{
			EventID: event.ID, EventType: event.Type, ContentType: esdb.ContentTypeJson, Data: event.Data, Metadata: event.Metadata,
		}
	}
	return data
}
