package archived_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/eventstore/memory"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 5 * time.Minute

// folder is a storage of files in memory.
type folder struct {
	mu    sync.Mutex
	files map[string][]byte
}

func newFolder() *folder { return &folder{files: map[string][]byte{}} }

func (f *folder) Put(_ context.Context, key string, r io.Reader) error {
	content, err := io.ReadAll(r)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[key] = content
	return err
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

func (f *folder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.files[key]
	if !ok {
		return nil, errors.New("no such file")
	}
	return opened{bytes.NewReader(content)}, nil
}

func (f *folder) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.files, key)
	return nil
}

// kinds are the logs that can be archived: functions that open an empty one, by name.
var kinds = map[string]func(*testing.T) eventstore.Store{
	"memory": func(*testing.T) eventstore.Store { return memory.New() },
	"embedded": func(t *testing.T) eventstore.Store {
		server, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Scavenge: time.Millisecond, NeedsPass: true})
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- server.Serve() }()
		store, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := errors.Join(store.Close(ctx), server.Close(ctx), <-served); err != nil {
				t.Error(err)
			}
		})
		return patient{store}
	},
}

func init() {
	for _, kind := range []string{"memory", "embedded"} {
		open := kinds[kind]
		kinds[kind+", collapsing"] = func(t *testing.T) eventstore.Store { return collapsing{open(t)} }
	}
}

// collapsing is a log in which archived streams may be collapsed.
type collapsing struct{ eventstore.Store }

// ReadEverything reads the log with system events, where the log can.
func (c collapsing) ReadEverything(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	if log, ok := c.Store.(patient); ok {
		return log.ReadEverything(ctx, dir, from)
	}
	return c.ReadAll(ctx, dir, from)
}

// removes reports whether logs of a kind remove truncated events.
func removes(kind string) bool { return strings.HasPrefix(kind, "embedded") }

// newArchive returns a log with its archive, which lets the log collapse streams if it is of such a kind.
func newArchive(log eventstore.Store, files archived.Files, category string, begun ...string) *archived.Store {
	store := archived.New(log, files, category, begun...)
	if killed, ok := log.(mortal); ok {
		log = killed.Store
	}
	if _, ok := log.(collapsing); ok {
		store.CollapseIf(func(context.Context) (bool, error) { return true, nil })
	}
	return store
}

// patient is a store whose appends wait until a busy machine answers.
type patient struct{ *eventstoredb.Store }

func (p patient) Append(
	ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed,
) (done eventstore.Appended, err error) {
	for done, err = p.Store.Append(ctx, stream, expected, events...); errors.Is(err, eventstore.ErrUnavailable) && ctx.Err() == nil; {
		done, err = p.Store.Append(ctx, stream, expected, events...)
	}
	return done, err
}

// events makes n events of a type.
func events(r *rand.Rand, n int, kind string, size int) []eventstore.Proposed {
	all := make([]eventstore.Proposed, n)
	for i := range all {
		data := fmt.Sprintf(`{"n": %d, "text":"<a & b> é %s"}`, r.IntN(1000), strings.Repeat("x", r.IntN(size)))
		all[i] = eventstore.Proposed{ID: uuid.New(), Type: kind, Data: []byte(data), Metadata: []byte(`{"v":1,  "time":"x"}`)}
	}
	return all
}

// ended is the rule of these tests: a stream has ended when an event of it says so.
func ended(all []eventstore.Recorded) (bool, error) {
	for _, e := range all {
		if e.Type == "Ended" {
			return true, nil
		}
	}
	return false, nil
}

// later is the rule of these tests for a moment after all events of a test.
func later() archived.Rule { return archived.Rule{Before: time.Now().Add(time.Hour), Ended: ended} }

// fillLog appends the events of streams, mixed: movies, of which most have ended, and ledgers.
func fillLog(t *testing.T, log eventstore.Store, movies, size int) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 11))
	at := map[string]eventstore.Revision{}
	var streams []string
	for i := range movies {
		streams = append(streams, fmt.Sprintf("movie-%d", i))
	}
	streams = append(streams, "ledger-a", "ledger-b", "movies")
	add := func(stream, kind string, n int) {
		last, known := at[stream]
		if !known {
			last = eventstore.NoStream
		}
		done, err := log.Append(t.Context(), stream, last, events(r, n, kind, size)...)
		if err != nil {
			t.Fatal(err)
		}
		at[stream] = done.Revision
	}
	for range 3 * movies {
		add(streams[r.IntN(len(streams))], "Moved", 1+r.IntN(3))
	}
	for i, stream := range streams {
		add(stream, "Moved", 2)
		if i%7 != 0 {
			add(stream, "Ended", 1)
		}
	}
	return streams
}

// told is everything that a store says.
type told map[string][]eventstore.Recorded

// ask asks a store for everything.
func ask(t *testing.T, store eventstore.Store, streams []string) told {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := told{}
	read := func(name string, from iter.Seq2[eventstore.Recorded, error]) {
		t.Helper()
		all[name] = nil
		for e, err := range from {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[name] = append(all[name], e)
		}
	}
	read("all", store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}))
	read("all, backwards", store.ReadAll(ctx, eventstore.Backwards, eventstore.Position{}))
	for _, stream := range streams {
		read(fmt.Sprint(stream, " from ", 0), store.ReadStream(ctx, stream, eventstore.Forwards, 0))
	}
	all["subscribed"] = subscribed(t, store, eventstore.Position{}, eventstore.Filter{})
	return all
}

// askMore asks a store everything that ask asks, and from many places.
func askMore(t *testing.T, store eventstore.Store, streams []string) told {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := ask(t, store, streams)
	read := func(name string, from iter.Seq2[eventstore.Recorded, error]) {
		t.Helper()
		for e, err := range from {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[name] = append(all[name], e)
		}
	}
	log := all["all"]
	for i := 0; i < len(log); i += 1 + len(log)/4 {
		read(fmt.Sprint("after ", i), store.ReadAll(ctx, eventstore.Forwards, log[i].Position))
		read(fmt.Sprint("before ", i), store.ReadAll(ctx, eventstore.Backwards, log[i].Position))
		all[fmt.Sprint("subscribed after ", i)] = subscribed(t, store, log[i].Position, eventstore.Filter{Categories: []string{"movie"}})
	}
	for _, filter := range [][]string{{"movie"}, {"ledger"}, {"movie", "ledger"}, {"nothing"}} {
		all["subscribed to "+strings.Join(filter, ",")] = subscribed(t, store, eventstore.Position{}, eventstore.Filter{Categories: filter})
	}
	for _, stream := range []string{streams[0], streams[1], streams[2], streams[len(streams)-3], "movie-unknown"} {
		for _, from := range []eventstore.Revision{-1, 1, 3, 50} {
			read(fmt.Sprint(stream, " from ", from), store.ReadStream(ctx, stream, eventstore.Forwards, from))
			read(fmt.Sprint(stream, " backwards from ", from), store.ReadStream(ctx, stream, eventstore.Backwards, from))
		}
	}
	return all
}

// subscribed returns what a subscription brings up to the end of the log.
func subscribed(t *testing.T, store eventstore.Store, after eventstore.Position, filter eventstore.Filter) (all []eventstore.Recorded) {
	t.Helper()
	sub, err := store.Subscribe(t.Context(), after, filter)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for {
		notice, err := sub.Next(t.Context())
		switch {
		case err != nil:
			t.Fatal(err)
		case notice.CaughtUp:
			return all
		case notice.Checkpoint != nil:
			after = *notice.Checkpoint
		case notice.Event != nil:
			if notice.Event.Position.Compare(after) <= 0 {
				t.Fatalf("an event at %v after %v", notice.Event.Position, after)
			}
			after = notice.Event.Position
			all = append(all, *notice.Event)
		}
	}
}

// wantSame compares two answers, and says which questions were answered otherwise.
func wantSame(t *testing.T, when string, before, after told) {
	t.Helper()
	for name := range before {
		if !slices.EqualFunc(before[name], after[name], func(a, b eventstore.Recorded) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("%s, %s: %s, were %s", when, name, places(after[name]), places(before[name]))
		}
	}
}

// places lists events by position, stream and revision.
func places(events []eventstore.Recorded) string {
	var text strings.Builder
	for _, e := range events {
		fmt.Fprintf(&text, "%d:%s@%d ", e.Position.Commit, e.Stream, e.Revision)
	}
	return text.String()
}

// left counts the events in the log of streams of movies.
func left(t *testing.T, log eventstore.Store) int {
	t.Helper()
	n := 0
	for e, err := range log.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Stream, "movie-") {
			n++
		}
	}
	return n
}

// awaitLeft waits until the log has removed what is archived.
func awaitLeft(t *testing.T, log eventstore.Store, want int) {
	t.Helper()
	giveUp := time.After(patience)
	for n := left(t, log); n != want; n = left(t, log) {
		select {
		case <-giveUp:
			t.Fatalf("the log has %d events of movies, want %d", n, want)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// kept is how many events of movies the log keeps after archiving everything that has ended: the newest of each, unless the log
// collapses its stream.
func kept(log eventstore.Store, before told, streams []string) int {
	n, newest := 0, 1
	if _, ok := log.(collapsing); ok {
		newest = 0
	}
	for _, stream := range streams {
		events := before[fmt.Sprint(stream, " from ", 0)]
		switch is, _ := ended(events); {
		case !strings.HasPrefix(stream, "movie-"):
		case is && len(events) > 1:
			n += newest
		default:
			n += len(events)
		}
	}
	return n
}
