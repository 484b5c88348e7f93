package projections_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// outage is a document store that does not answer the first reads of checkpoints, and counts the later ones until a commit
// records an unread stream.
type outage struct {
	projections.Documents
	left, reads, tries atomic.Int64
}

func (o *outage) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	if collection == "checkpoints" && o.left.Add(-1) >= 0 {
		return nil, errAway
	}
	if collection == "checkpoints" {
		o.reads.Add(1)
	}
	return o.Documents.Get(ctx, collection, ids...)
}

func (o *outage) Commit(ctx context.Context, changes projections.Changes) error {
	for _, write := range changes.Writes {
		if strings.HasPrefix(write.Collection, "unread_") {
			o.tries.CompareAndSwap(0, o.reads.Load())
		}
		if write.Collection == "checkpoints" {
			o.left.Store(0)
		}
	}
	return o.Documents.Commit(ctx, changes)
}

// youth is an event store whose events are brought as if they were written later than now.
type youth struct{ eventstore.Store }

func (y youth) Subscribe(ctx context.Context, after eventstore.Position, filter eventstore.Filter) (eventstore.Subscription, error) {
	s, err := y.Store.Subscribe(ctx, after, filter)
	return young{s}, err
}

type young struct{ eventstore.Subscription }

func (y young) Next(ctx context.Context) (eventstore.Notice, error) {
	n, err := y.Subscription.Next(ctx)
	if n.Event != nil {
		event := *n.Event
		event.Created = time.Now().Add(time.Hour)
		n.Event = &event
	}
	return n, err
}

// TestUnread_afterOutage: failures of the document store do not shorten the time that a newer version has for its event.
func TestUnread_afterOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := &outage{Documents: w.documents(t)}
	config := w.config(docs)
	config.Log = eventstore.NewLog(youth{w.store}, eventstore.NewCodec().Without("MovieCancelled"))
	models := mustOpen(t, config)
	start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))
	docs.left.Store(7)
	docs.reads.Store(0)
	w.append(t, movie.Stream(project(1)), movie.Cancelled{At: t0})
	eventually(t, "the stream is known as unread", func() bool { return len(models.Reader.Unread()) == 1 })
	if tries := docs.tries.Load(); tries < 6 {
		t.Errorf("the event was left out at try %d after the outage", tries)
	}
}
