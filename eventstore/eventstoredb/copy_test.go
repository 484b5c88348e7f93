package eventstoredb_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

// pair is two event stores, the second a copy of the first.
type pair struct {
	*testing.T
	ctx      context.Context
	from, to *eventstoredb.Store
}

func newPair(t *testing.T) *pair {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	p := &pair{T: t, ctx: ctx}
	p.from = openServed(t, eventstoredb.Config{Addr: startServer(t, embedded.Config{Dir: t.TempDir(), Scavenge: time.Millisecond}).Addr()})
	p.to = openServed(t, eventstoredb.Config{Addr: startServer(t, embedded.Config{Dir: t.TempDir(), Scavenge: time.Millisecond}).Addr()})
	return p
}

func (p *pair) append(store *eventstoredb.Store, stream string, expected eventstore.Revision, kind, data string, n int) {
	p.Helper()
	events := make([]eventstore.Proposed, n)
	for i := range events {
		events[i] = eventstore.Proposed{ID: uuid.New(), Type: kind, Data: []byte(data), Metadata: []byte(`{"v":1}`)}
	}
	err := untilThere(p, func() error {
		_, err := store.Append(p.ctx, stream, expected, events...)
		return err
	})
	if err != nil {
		p.Fatalf("append to %s: %v", stream, err)
	}
}

// untilThere makes a call until it meets no outage: a machine that has too much to do is one, and so is an election.
func untilThere(p *pair, call func() error) error {
	for {
		err := call()
		if !errors.Is(err, eventstore.ErrUnavailable) || p.ctx.Err() != nil {
			return err
		}
	}
}

func (p *pair) all(store *eventstoredb.Store) []eventstore.Recorded {
	p.Helper()
	return p.read(func() iter.Seq2[eventstore.Recorded, error] {
		return store.ReadAll(p.ctx, eventstore.Forwards, eventstore.Position{})
	})
}

func (p *pair) read(from func() iter.Seq2[eventstore.Recorded, error]) (events []eventstore.Recorded) {
	p.Helper()
	err := untilThere(p, func() error {
		events = nil
		for event, err := range from() {
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	return events
}

func (p *pair) stream(store *eventstoredb.Store, stream string) []eventstore.Recorded {
	p.Helper()
	return p.read(func() iter.Seq2[eventstore.Recorded, error] {
		return store.ReadStream(p.ctx, stream, eventstore.Forwards, 0)
	})
}

// awaitRemoved waits until a store has n ordinary events left.
func (p *pair) awaitRemoved(store *eventstoredb.Store, n int) {
	p.Helper()
	giveUp := time.After(patience)
	for got := len(p.all(store)); got != n; got = len(p.all(store)) {
		select {
		case <-giveUp:
			p.Fatalf("the store has %d events, want %d", got, n)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// wantSame compares the logs: everything but positions and times is the same.
func (p *pair) wantSame() {
	p.Helper()
	p.awaitRemoved(p.to, len(p.all(p.from))) // by its own retention
	ignored := cmpopts.IgnoreFields(eventstore.Recorded{}, "Position", "Created")
	if diff := cmp.Diff(p.all(p.from), p.all(p.to), ignored); diff != "" {
		p.Errorf("the log (-source +target):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, event := range p.all(p.from) {
		if seen[event.Stream] {
			continue
		}
		seen[event.Stream] = true
		if diff := cmp.Diff(p.stream(p.from, event.Stream), p.stream(p.to, event.Stream), ignored); diff != "" {
			p.Errorf("stream %s (-source +target):\n%s", event.Stream, diff)
		}
	}
}

func (p *pair) copy() eventstoredb.Copied {
	p.Helper()
	done, err := eventstoredb.Copy(p.ctx, p.from, p.to, func(eventstoredb.Copied) {})
	if err != nil {
		p.Fatalf("copy: %v", err)
	}
	return done
}

// fill makes a source with all that a log can have: streams in turn, removed and deleted events, changed metadata.
func (p *pair) fill() {
	p.Helper()
	for i := range 40 {
		p.append(p.from, fmt.Sprintf("movie-%d", i%7), eventstore.Revision(i/7*3)-1, "Happened", fmt.Sprintf(`{"n":%d}`, i), 3)
	}
	p.append(p.from, "$$snapshot-1", eventstore.NoStream, "$metadata", `{"$maxCount":1,"colour":"red"}`, 1)
	p.append(p.from, "snapshot-1", eventstore.NoStream, "Taken", `{}`, 1201)
	p.append(p.from, "cut-1", eventstore.NoStream, "Happened", `{}`, 50)
	p.append(p.from, "$$cut-1", eventstore.NoStream, "$metadata", `{"$tb":20}`, 1)
	p.append(p.from, "gone-1", eventstore.NoStream, "Happened", `{}`, 5)
	p.append(p.from, "$$gone-1", eventstore.NoStream, "$metadata", `{"$tb":9223372036854775807}`, 1)
	p.awaitRemoved(p.from, 120+1+30+1)
	p.append(p.from, "$$cut-1", 0, "$metadata", `{"$tb":0}`, 1) // what is removed does not come back
	p.append(p.from, "snapshot-1", 1200, "Taken", `{}`, 1)
	p.awaitRemoved(p.from, 120+1+30+1)
}

func TestCopy(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.fill()
	done := p.copy()
	p.wantSame()
	if done.Resumed || done.Filled != 1201+20+4 || done.Events < 120+1+30+1 {
		t.Errorf("the copy was %+v", done)
	}
	again := p.copy()
	if again.Events != 0 || !again.Resumed {
		t.Errorf("a copy of what has been copied was %+v", again)
	}
	// Both go on where they are, and a later copy brings what has come.
	p.append(p.from, "movie-0", 17, "Happened", `{}`, 2)
	p.append(p.from, "snapshot-1", 1201, "Taken", `{}`, 300)
	p.awaitRemoved(p.from, 120+2+1+30+1)
	if more := p.copy(); !more.Resumed {
		t.Errorf("a later copy was %+v", more)
	}
	p.wantSame()
	p.append(p.to, "snapshot-1", 1501, "Taken", `{}`, 1)
}

// TestCopy_cut ends copies at many places; the next one goes on, and nothing is there twice or missing.
func TestCopy_cut(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.fill()
	cuts := 0
	for limit := 1; ; limit++ {
		ctx, cancel := context.WithCancel(p.ctx)
		reports := 0
		_, err := eventstoredb.Copy(ctx, p.from, p.to, func(eventstoredb.Copied) {
			if reports++; reports == 2+limit/25 { // a busy machine may get no further than the copy before
				cancel()
			}
		})
		cancel()
		if err == nil {
			break
		}
		if cuts++; cuts > 500 {
			t.Fatal("the copy does not come to an end")
		}
	}
	p.wantSame()
	t.Logf("%d copies were cut short", cuts)
}

func TestCopy_refused(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.append(p.from, "a-1", eventstore.NoStream, "Happened", `{}`, 3)
	p.append(p.to, "b-1", eventstore.NoStream, "Happened", `{}`, 1)
	if done, err := eventstoredb.Copy(p.ctx, p.from, p.to, func(eventstoredb.Copied) {}); err == nil || done.Events != 0 {
		t.Errorf("a log was copied into another one: %+v", done)
	}
}

// TestCopy_discarded: a discarded stream that the source still has arrives as it was, because the target may not know what a
// discarded stream is: nobody could append to it there.
func TestCopy_discarded(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.from = openServed(t, eventstoredb.Config{Addr: startServer(t, embedded.Config{Dir: t.TempDir(), Scavenge: time.Hour}).Addr()})
	p.append(p.from, "key-1", eventstore.NoStream, "Tested", `{}`, 1)
	if err := untilThere(p, func() error { return eventstore.Discard(p.ctx, p.from, "key-1", 0) }); err != nil {
		t.Fatal(err)
	}
	p.append(p.from, "other-1", eventstore.NoStream, "Tested", `{}`, 1)
	if _, err := eventstoredb.Copy(p.ctx, p.from, p.to, func(eventstoredb.Copied) {}); err != nil {
		t.Fatal(err)
	}
	if meta := p.stream(p.to, "$$key-1"); len(meta) > 0 {
		t.Errorf("the copy has the metadata %s", meta[0].Data)
	}
	if got := len(p.stream(p.to, "key-1")); got != 1 {
		t.Errorf("the copy has %d events of the stream", got)
	}
	if _, err := eventstoredb.Compare(p.ctx, p.from, p.to, eventstore.Position{}); err != nil {
		t.Error(err)
	}
}
