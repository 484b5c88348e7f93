package eventstoredb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/eventstore/storetest"
	"moviola/eventstore/storetest/cluster"
)

// unhurried takes everything from the client that would end a call on a connection to a frozen node by itself.
const unhurried = "&keepAliveInterval=-1&defaultDeadline=3600000"

func TestCluster_contract(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	c.SetLag(1, 300*time.Millisecond)
	c.Hold(2)
	storetest.Run(t, func(t *testing.T) eventstore.Store {
		return openServed(t, eventstoredb.Config{ConnectionString: c.ConnectionString()})
	})
}

// writer appends to a stream of a cluster, each event until it is acknowledged, and reads it back.
type writer struct {
	*testing.T
	store  eventstore.Store
	stream string
	last   eventstore.Revision
	denied int // appends that were told of an outage
}

// openWriter connects to a cluster.
func openWriter(t *testing.T, connection string) *writer {
	t.Helper()
	store := openServed(t, eventstoredb.Config{ConnectionString: connection + unhurried})
	return &writer{T: t, store: store, stream: "written-" + uuid.NewString(), last: eventstore.NoStream}
}

// write appends an event and reads what has just been acknowledged: it has to be there.
func (w *writer) write() {
	w.Helper()
	ctx := endless(w.T)
	event := eventstore.Proposed{ID: uuid.New(), Type: "Written", Data: []byte("{}")}
	for {
		appended, err := w.store.Append(ctx, w.stream, w.last, event)
		if err == nil {
			w.last = appended.Revision
			break
		}
		if !errors.Is(err, eventstore.ErrUnavailable) {
			w.Fatalf("append after revision %d: %v", w.last, err)
		}
		w.denied++
	}
	for {
		found, err := w.newest(ctx)
		if err == nil && found != event.ID {
			w.Fatalf("event %d was acknowledged as %v, and what is read is %v", w.last, event.ID, found)
		}
		if err == nil {
			return
		}
		if !errors.Is(err, eventstore.ErrUnavailable) {
			w.Fatalf("read event %d: %v", w.last, err)
		}
	}
}

// newest is the id of the stream's last event; zero when the store says that there is none.
func (w *writer) newest(ctx context.Context) (uuid.UUID, error) {
	for recorded, err := range w.store.ReadStream(ctx, w.stream, eventstore.Backwards, -1) {
		return recorded.ID, err
	}
	return uuid.Nil, nil
}

// wantWritten checks that the stream holds as many events as were acknowledged.
func (w *writer) wantWritten(n int) {
	w.Helper()
	if int(w.last) != n-1 {
		w.Errorf("the stream ends at revision %d after %d events", w.last, n)
	}
}

// TestCluster_elections: whoever is elected, what was acknowledged is read, and no follower is asked.
func TestCluster_elections(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	for i := range cluster.Size {
		c.Hold(i)
	}
	w := openWriter(t, c.ConnectionString())
	w.write()
	n := 1
	for _, next := range []int{1, 2, 0, 2} {
		c.StepDown()
		c.Hold(0) // from here on its log is old again, unless it is elected
		c.Elect(next)
		for range 3 {
			w.write()
			n++
		}
	}
	w.wantWritten(n)
	if got := c.Unasked(); got != 0 {
		t.Errorf("followers were sent %d calls that did not ask for the leader", got)
	}
}

// TestCluster_frozenLeader: calls, reads and subscriptions that hang on a frozen leader go on at the new one, though nothing but the other
// nodes says that there is one. Decision 60.
func TestCluster_frozenLeader(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	for name, connection := range map[string]string{
		"all are named": c.ConnectionString(), "a follower is named": "esdb://" + c.Addr(2) + "?tls=false",
	} {
		c.Elect(0)
		w := openWriter(t, connection)
		w.write()
		seen := subscribeTo(w)
		c.Freeze(0)
		written := make(chan struct{})
		go func() {
			defer close(written)
			w.write()
		}()
		c.Elect(1)
		select {
		case <-written:
		case <-time.After(patience):
			t.Fatalf("%s: no append after the election", name)
		}
		w.wantWritten(2)
		seen.await(2)
		c.Thaw(0)
		w.write()
		seen.await(3)
		seen.stop()
	}
}

// subscribeTo follows the log for the events of a writer.
func subscribeTo(w *writer) *seenEvents {
	ctx, cancel := context.WithCancel(context.Background())
	s := &seenEvents{T: w.T, events: make(chan eventstore.Revision, 64), ended: make(chan error, 1), stop: cancel}
	go func() {
		s.ended <- eventstore.Follow(ctx, w.store, eventstore.Position{}, eventstore.Filter{}, func(notice eventstore.Notice) error {
			if notice.Event != nil && notice.Event.Stream == w.stream {
				s.events <- notice.Event.Revision
			}
			return nil
		}, eventstore.StallAfter(time.Hour))
	}()
	w.Cleanup(func() {
		cancel()
		if err := <-s.ended; !errors.Is(err, context.Canceled) {
			w.Errorf("follow: %v", err)
		}
	})
	return s
}

// seenEvents are the revisions that a subscription has brought.
type seenEvents struct {
	*testing.T
	events chan eventstore.Revision
	ended  chan error
	next   eventstore.Revision
	stop   func()
}

// await waits until n events have come, in order.
func (s *seenEvents) await(n int) {
	s.Helper()
	for int(s.next) < n {
		select {
		case got := <-s.events:
			if got != s.next {
				s.Fatalf("event %d came instead of event %d", got, s.next)
			}
			s.next++
		case <-time.After(patience):
			s.Fatalf("event %d has not come", s.next)
		}
	}
}

// TestCluster_followerNamed: a connection string that names one follower only leads to the leader, whoever that is.
func TestCluster_followerNamed(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	c.Hold(2)
	w := openWriter(t, "esdb://"+c.Addr(2)+"?tls=false")
	n := 0
	for _, next := range []int{0, 1, 2, 0} {
		if c.Leader() != next {
			c.Elect(next)
		}
		c.Hold(2)
		for range 2 {
			w.write()
			n++
		}
	}
	w.wantWritten(n)
	if got := c.Unasked(); got != 0 {
		t.Errorf("followers were sent %d calls that did not ask for the leader", got)
	}
}

// TestCluster_lostLeader: a leader whose connections are cut is left for the next one.
func TestCluster_lostLeader(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	w := openWriter(t, c.ConnectionString())
	for n, next := range []int{1, 2, 0} {
		w.write()
		former := c.Leader()
		c.Lose(former)
		c.Elect(next)
		w.write()
		c.Return(former)
		w.wantWritten(2 * (n + 1))
	}
}

// TestCluster_lostMajority: an append that waits for a majority ends as an outage when the leader steps down, though nothing else ends it;
// repeated when the majority is back, it is stored once.
func TestCluster_lostMajority(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t)
	w := openWriter(t, c.ConnectionString())
	w.write()
	c.Lose(1)
	c.Freeze(2)
	event := eventstore.Proposed{ID: uuid.New(), Type: "Written", Data: []byte("{}")}
	failed := make(chan error, 1)
	for range 2 { // first while the leader waits, then while there is none
		go func() {
			_, err := w.store.Append(endless(t), w.stream, w.last, event)
			failed <- err
		}()
		c.StepDown()
		select {
		case err := <-failed:
			if !errors.Is(err, eventstore.ErrUnavailable) {
				t.Fatalf("append without a majority: %v, want an outage", err)
			}
		case <-time.After(patience):
			t.Fatal("an append without a majority does not end")
		}
	}
	c.Return(1)
	c.Elect(0)
	for range 2 {
		for {
			appended, err := w.store.Append(endless(t), w.stream, w.last, event)
			if errors.Is(err, eventstore.ErrUnavailable) {
				continue
			}
			if err != nil || appended.Revision != w.last+1 {
				t.Fatalf("append again: %+v, %v", appended, err)
			}
			break
		}
	}
	if found, err := w.newest(endless(t)); err != nil || found != event.ID {
		t.Errorf("the last event is %v (%v), want %v", found, err, event.ID)
	}
}
