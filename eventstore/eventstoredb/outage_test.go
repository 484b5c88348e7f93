package eventstoredb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

const (
	callers  = 64
	deadline = slowness * 400 * time.Millisecond // of each call
	long     = 3 * time.Second                   // an outage that no call waits for
)

// TestOutage runs beside no other test: its calls have deadlines.
func TestOutage(t *testing.T) {
	for _, length := range []time.Duration{400 * time.Millisecond, long} {
		t.Run(length.String(), func(t *testing.T) { surviveOutage(t, length, "") })
	}
	// An address of its own: while the server is away, nobody else is given its port there.
	t.Run("on loopback", func(t *testing.T) { surviveOutage(t, long, "127.0.0.2:0") })
}

func TestOutage_long(t *testing.T) {
	if os.Getenv("MOVIOLA_TEST_LONG") == "" {
		t.Skip("a minute's outage is tested when MOVIOLA_TEST_LONG is set")
	}
	surviveOutage(t, time.Minute, "")
}

// surviveOutage takes the server away from callers and a follower, gives it back, and checks that nobody is held until it is back,
// that everybody is served again, and that nothing was lost or doubled.
func surviveOutage(t *testing.T, length time.Duration, listen string) {
	config := embedded.Config{Dir: t.TempDir(), Listen: listen, NeedsPass: true}
	server := serve(t, config)
	config.Listen = listenAgain(config, server)
	store := openStore(t, eventstoredb.Config{Addr: server.Addr()})
	crowd := newCrowd(t, store)
	crowd.start()
	follower := follow(t, store)
	crowd.awaitRounds(3)
	stopServer(t, server)
	if length >= long {
		crowd.awaitFailures(2) // the first may have begun before the outage
	}
	pause(length)
	server = serve(t, config)
	t.Cleanup(func() { stopServer(t, server) })
	back := time.Now()
	crowd.awaitRounds(1)
	t.Logf("outage of %v: all %d callers served %v after the server's return", length, callers, time.Since(back))
	crowd.awaitRounds(2)
	crowd.stop()
	want := crowd.check()
	follower.await(want)
	follower.stop()
	closeStore(t, store) // while the server is there: calls that the outage has left in the client can return
}

// listenAgain is what to listen on so that clients find a server where its predecessor was.
func listenAgain(config embedded.Config, server *embedded.Server) string {
	if config.Listen == "" {
		return ""
	}
	return server.Addr()
}

// serve opens a server; the caller stops it.
func serve(t *testing.T, config embedded.Config) *embedded.Server {
	t.Helper()
	server, err := embedded.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := server.Serve(); err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	return server
}

func pause(d time.Duration) { <-time.After(d) }

// crowd is many callers that append, each to a stream of its own, and repeat what failed as the contract says.
type crowd struct {
	*testing.T
	store    eventstore.Store
	category string
	stopped  chan struct{}
	group    sync.WaitGroup
	acked    [callers][]uuid.UUID // each caller's own until it has stopped
	rounds   [callers]atomic.Int64
	failures [callers]atomic.Int64
}

func newCrowd(t *testing.T, store eventstore.Store) *crowd {
	return &crowd{T: t, store: store, category: "crowd", stopped: make(chan struct{})}
}

func (c *crowd) start() {
	for i := range callers {
		c.group.Go(func() { c.call(i) })
	}
}

func (c *crowd) stop() {
	close(c.stopped)
	c.group.Wait()
}

func (c *crowd) stream(i int) string { return fmt.Sprintf("%s-%d", c.category, i) }

// call appends one event after the other. An append that failed is repeated as it was, also when the crowd is stopped: the server may
// have it still before it, and would store it at any time.
func (c *crowd) call(i int) {
	event := eventstore.Proposed{ID: uuid.New(), Type: "Called", Data: []byte(`{}`)}
	for open := false; ; {
		select {
		case <-c.stopped:
			if !open {
				return
			}
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		_, err := c.store.Append(ctx, c.stream(i), eventstore.Revision(len(c.acked[i]))-1, event)
		cancel()
		open = err != nil
		switch {
		case err == nil:
			c.acked[i] = append(c.acked[i], event.ID)
			event.ID = uuid.New()
			c.rounds[i].Add(1)
			pause(25 * time.Millisecond)
		case errors.Is(err, eventstore.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
			c.failures[i].Add(1)
			pause(20 * time.Millisecond)
		default:
			c.Errorf("append to %s: %v", c.stream(i), err)
			return
		}
	}
}

// awaitRounds waits until every caller has appended n more events.
func (c *crowd) awaitRounds(n int64) {
	c.Helper()
	c.await("is not served", &c.rounds, n)
}

// awaitFailures waits until n more appends of every caller have ended with an error.
func (c *crowd) awaitFailures(n int64) {
	c.Helper()
	c.await("is held", &c.failures, n)
}

func (c *crowd) await(complaint string, counts *[callers]atomic.Int64, more int64) {
	c.Helper()
	var want [callers]int64
	for i := range callers {
		want[i] = counts[i].Load() + more
	}
	giveUp := time.After(patience)
	for i := 0; i < callers; {
		if counts[i].Load() >= want[i] {
			i++
			continue
		}
		select {
		case <-giveUp:
			c.Fatalf("caller %d %s", i, complaint)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// check compares the streams of a crowd that has stopped with what was acknowledged, and returns how many events there are.
func (c *crowd) check() int {
	c.Helper()
	total := 0
	for i := range callers {
		n := 0
		for recorded, err := range c.store.ReadStream(context.Background(), c.stream(i), eventstore.Forwards, 0) {
			if err != nil {
				c.Fatal(err)
			}
			if n < len(c.acked[i]) && recorded.ID != c.acked[i][n] {
				c.Fatalf("event %d of %s is not the one that was acknowledged", n, c.stream(i))
			}
			n++
		}
		if n != len(c.acked[i]) {
			c.Errorf("%s has %d events, %d were acknowledged", c.stream(i), n, len(c.acked[i]))
		}
		total += n
	}
	return total
}

// follower follows the log through outages, as a projection does: from the last position seen.
type follower struct {
	*testing.T
	count atomic.Int64
	stop  func() // ends it and waits
}

func follow(t *testing.T, store eventstore.Store) *follower {
	f := &follower{T: t}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { f.run(ctx, store) })
	f.stop = func() {
		cancel()
		group.Wait()
	}
	t.Cleanup(f.stop)
	return f
}

func (f *follower) run(ctx context.Context, store eventstore.Store) {
	var after eventstore.Position
	next := map[string]eventstore.Revision{}
	for ctx.Err() == nil {
		sub, err := store.Subscribe(ctx, after, eventstore.Filter{})
		for err == nil {
			var notice eventstore.Notice
			notice, err = sub.Next(ctx)
			switch {
			case err != nil:
				sub.Close()
			case notice.Checkpoint != nil:
				after = *notice.Checkpoint
			case notice.Event != nil:
				if event := notice.Event; event.Revision != next[event.Stream] {
					f.Errorf("event %d of %s came instead of event %d", event.Revision, event.Stream, next[event.Stream])
				}
				next[notice.Event.Stream]++
				after = notice.Event.Position
				f.count.Add(1)
			}
		}
		if !errors.Is(err, eventstore.ErrUnavailable) && ctx.Err() == nil {
			f.Errorf("the subscription ended with %v, want %v", err, eventstore.ErrUnavailable)
		}
		pause(20 * time.Millisecond)
	}
}

// await waits until the follower has seen n events, and no more than these.
func (f *follower) await(n int) {
	f.Helper()
	giveUp := time.After(patience)
	for f.count.Load() < int64(n) {
		select {
		case <-giveUp:
			f.Fatalf("the follower has seen %d of %d events", f.count.Load(), n)
		case <-time.After(2 * time.Millisecond):
		}
	}
	if got := f.count.Load(); got != int64(n) {
		f.Errorf("the follower has seen %d events, want %d", got, n)
	}
}

// wantNoDuplicates checks that no event id is in the log twice.
func (c *crowd) wantNoDuplicates() {
	c.Helper()
	seen := map[uuid.UUID]string{}
	for recorded, err := range c.store.ReadAll(context.Background(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			c.Fatal(err)
		}
		if before, twice := seen[recorded.ID]; twice {
			c.Errorf("event %v is in %s and in %s", recorded.ID, before, recorded.Stream)
		}
		seen[recorded.ID] = recorded.Stream
	}
}
