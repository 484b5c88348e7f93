package chores

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"moviola/domain/idempotency"
	"moviola/domain/mailing"
	"moviola/eventstore"
)

const (
	// forgottenAfter is the age that the newest event of a stream must have before the stream is discarded. An idempotency key is
	// valid for 24 hours (decision 25), and e-mails are counted by the day. One more hour allows for clocks that differ.
	forgottenAfter = 25 * time.Hour
	forgetAtOnce   = 1000      // number of streams after which the chore records its progress
	forgetPerRound = 1_000_000 // number of discarded streams at which a round ends
	forgetBeside   = 16        // number of streams that are discarded at the same time: the log syncs many appends at once

	// ForgottenStream is the stream with the progress of the chore: the position up to which the log was searched for streams
	// to discard. Its events have a system type.
	ForgottenStream = "forgotten-streams"
	forgottenType   = "$forgotten"
)

// Forgotten is the chore of discarding the streams of expired idempotency keys and of past counts of e-mails. Each
// round continues at the recorded progress. The function discards reports whether the event store can discard streams; when
// it cannot, the chore does nothing. Decision 93.
func Forgotten(store eventstore.Store, discards func(context.Context) (bool, error), logger logrus.FieldLogger) Chore {
	return Chore{Name: "streams that nobody needs any more", Do: func(ctx context.Context, now time.Time) error {
		if knows, err := discards(ctx); err != nil || !knows {
			return err
		}
		f := &forgetting{store: store, before: now.Add(-forgottenAfter), streams: map[string]bool{}}
		err := f.run(ctx)
		if f.done > 0 {
			logger.WithField("streams", f.done).Info("streams of old idempotency keys and e-mail counts discarded")
		}
		if errors.Is(err, eventstore.ErrConflict) {
			return nil // another process runs the same chore
		}
		return err
	}}
}

// forgetting is the state of one round of the chore.
type forgetting struct {
	store    eventstore.Store
	before   time.Time           // a stream is discarded when its newest event was created before this time
	revision eventstore.Revision // last revision of ForgottenStream
	through  eventstore.Position // position up to which the log was searched
	streams  map[string]bool     // streams that were found and not handled yet
	done     int                 // number of streams discarded
}

func (f *forgetting) run(ctx context.Context) error {
	if err := f.begin(ctx); err != nil {
		return fmt.Errorf("read how far streams were discarded: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sub, err := f.store.Subscribe(ctx, f.through,
		eventstore.Filter{Categories: []string{idempotency.StreamCategory, mailing.StreamCategory}})
	if err != nil {
		return err
	}
	defer sub.Close()
	begun := f.through
	for f.done < forgetPerRound {
		notice, err := sub.Next(ctx)
		switch {
		case err != nil:
			return err
		case notice.Checkpoint != nil:
			f.through = *notice.Checkpoint
		case notice.Event != nil && notice.Event.Created.Before(f.before):
			f.streams[notice.Event.Stream] = true
			f.through = notice.Event.Position
		case notice.Event != nil || notice.CaughtUp:
			// This event is too new for its stream to be discarded, and so are all later events; or the log has ended.
			if f.through == begun {
				return nil
			}
			return f.flush(ctx)
		}
		if len(f.streams) == forgetAtOnce {
			if err := f.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// note is the content of an event of ForgottenStream.
type note struct {
	Through eventstore.Position `json:"through"`
}

// begin reads the progress of earlier rounds. When there is none, it limits ForgottenStream to its newest event.
func (f *forgetting) begin(ctx context.Context) error {
	f.revision = eventstore.NoStream
	for event, err := range f.store.ReadStream(ctx, ForgottenStream, eventstore.Backwards, -1) {
		if err != nil {
			return err
		}
		var n note
		if err := json.Unmarshal(event.Data, &n); err != nil {
			return fmt.Errorf("event %d of %s: %w", event.Revision, ForgottenStream, err)
		}
		f.revision, f.through = event.Revision, n.Through
		return nil
	}
	_, err := f.store.Append(ctx, "$$"+ForgottenStream, eventstore.NoStream,
		eventstore.Proposed{ID: uuid.New(), Type: "$metadata", Data: []byte(`{"$maxCount":1}`)})
	if errors.Is(err, eventstore.ErrConflict) { // another process has appended the same metadata
		return nil
	}
	return err
}

// flush discards the streams that were found, and records the progress of the round.
func (f *forgetting) flush(ctx context.Context) error {
	work := make(chan string, len(f.streams))
	for stream := range f.streams {
		work <- stream
	}
	close(work)
	clear(f.streams)
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	for range forgetBeside {
		all.Go(func() {
			for stream := range work {
				gone, err := f.discard(ctx, stream)
				mu.Lock()
				if gone {
					f.done++
				}
				failed = errors.Join(failed, err)
				stop := failed != nil
				mu.Unlock()
				if stop {
					return
				}
			}
		})
	}
	all.Wait()
	if failed != nil {
		return failed
	}
	data, err := json.Marshal(note{Through: f.through})
	if err != nil {
		return err
	}
	noted, err := f.store.Append(ctx, ForgottenStream, f.revision,
		eventstore.Proposed{ID: uuid.New(), Type: forgottenType, Data: data})
	if err != nil {
		return fmt.Errorf("note how far streams were discarded: %w", err)
	}
	f.revision = noted.Revision
	return nil
}

// discard discards a stream, and returns true. It returns false when the stream is discarded already, or has an event that
// is not old enough; the round that reaches this event discards the stream.
func (f *forgetting) discard(ctx context.Context, stream string) (bool, error) {
	for newest, err := range f.store.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if err == nil && !newest.Created.Before(f.before) {
			return false, nil
		}
		if err == nil {
			err = eventstore.Discard(ctx, f.store, stream, newest.Revision)
		}
		if err != nil {
			return false, fmt.Errorf("discard %s: %w", stream, err)
		}
		return true, nil
	}
	return false, nil // the stream is discarded already
}
