package eventstoredb_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

// TestCompare: a copy is told from what is none: an event that is missing, another order, another content.
func TestCompare(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.fill()
	done := p.copy()
	first, err := eventstoredb.Compare(p.ctx, p.from, p.to, done.Position)
	if err != nil || first.Events < 120 || len(first.Digest) != 64 {
		t.Fatalf("%+v, %v", first, err)
	}
	p.append(p.from, "later-1", eventstore.NoStream, "Happened", `{}`, 1)
	if again, err := eventstoredb.Compare(p.ctx, p.from, p.to, done.Position); err != nil || again != first {
		t.Errorf("with an event behind the end: %+v, %v, want %+v", again, err, first)
	}
	p.append(p.to, "foreign-1", eventstore.NoStream, "Happened", `{}`, 1)
	end, err := p.from.Head(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eventstoredb.Compare(p.ctx, p.from, p.to, end); err == nil || !strings.Contains(err.Error(), "event 0 of later-1") {
		t.Errorf("an event is missing: %v", err)
	}

	a := eventstore.Proposed{ID: uuid.New(), Type: "Happened", Data: []byte(`{}`)}
	b := eventstore.Proposed{ID: uuid.New(), Type: "Happened", Data: []byte(`{}`)}
	q := newPair(t)
	for store, order := range map[*eventstoredb.Store][]eventstore.Proposed{q.from: {a, b}, q.to: {b, a}} {
		for _, event := range order {
			if _, err := store.Append(q.ctx, "s-"+event.ID.String(), eventstore.NoStream, event); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := eventstoredb.Compare(q.ctx, q.from, q.to, eventstore.Position{}); err == nil {
		t.Error("another order was taken for a copy")
	}
}

// TestCopy_secured copies into a server with TLS and users, more appends than are under way at a time.
func TestCopy_secured(t *testing.T) {
	t.Parallel()
	p, s := newPair(t), newSecured(t, 0)
	for i := range 300 {
		p.append(p.from, fmt.Sprintf("movie-%d", i%40), eventstore.Revision(i/40)-1, "Happened", `{"n":1}`, 1)
	}
	p.to = openServed(t, s.address("writer:writer@"))
	done := p.copy()
	if compared, err := eventstoredb.Compare(p.ctx, p.from, p.to, done.Position); err != nil || compared.Events != 300 || done.Events != 300 {
		t.Errorf("copied %+v, compared %+v, %v", done, compared, err)
	}
}

// BenchmarkCopy copies single events of many streams, from a file into a file.
func BenchmarkCopy(b *testing.B) {
	const n = 20_000
	source := benchStore(b, embedded.Config{Dir: filepath.Join(b.TempDir(), "source")})
	for i := range n / 500 {
		events := make([]eventstore.Proposed, 500)
		for j := range events {
			events[j] = eventstore.Proposed{ID: uuid.New(), Type: "Happened", Data: fmt.Appendf(nil, `{"n":%d,"text":%q}`, j, strings.Repeat("x", 200))}
		}
		for j := range events {
			if _, err := source.Append(b.Context(), fmt.Sprintf("s-%d-%d", i, j), eventstore.NoStream, events[j]); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		target := benchStore(b, embedded.Config{Dir: filepath.Join(b.TempDir(), uuid.NewString())})
		if done, err := eventstoredb.Copy(b.Context(), source, target, func(eventstoredb.Copied) {}); err != nil || done.Events != n {
			b.Fatal(done, err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
}

func benchStore(b *testing.B, config embedded.Config) *eventstoredb.Store {
	b.Helper()
	server, err := embedded.Open(config)
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = server.Serve() }() // ends with the process
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
	if err != nil {
		b.Fatal(err)
	}
	return store
}
