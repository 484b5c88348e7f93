package archived_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"moviola/eventstore"
	"moviola/eventstore/archived"
)

// TestArchivePrefixes: the oldest events of streams that go on are archived, more of them later, together with streams that have
// ended; every answer stays the same, and the log has only what it has to keep.
func TestArchivePrefixes(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			streams := fillLog(t, log, 12, 2000)
			store := newArchive(log, files, "movie", "ledger")
			before := askMore(t, store, streams)
			half := eventstore.Revision(len(before["ledger-a from 0"]) / 2)
			for i, prefixes := range [][]archived.Prefix{
				{{Stream: "ledger-a", Through: half}, {Stream: "ledger-b", Through: 0}},
				{{Stream: "ledger-a", Through: half}, {Stream: "ledger-b", Through: 0}},
				{{Stream: "ledger-a", Through: half + 2}, {Stream: "ledger-b", Through: 5}},
			} {
				done, err := store.ArchivePrefixes(t.Context(), prefixes)
				want := []archived.Done{{Streams: 2, Events: int(half) + 2}, {}, {Streams: 2, Events: 2 + 5}}[i]
				if err != nil || done.Streams != want.Streams || done.Events != want.Events {
					t.Fatalf("round %d: %+v, %v; want %+v", i, done, err, want)
				}
				wantSame(t, "in the same process", before, askMore(t, store, streams))
				if _, err := store.Archive(t.Context(), later()); err != nil {
					t.Fatal(err)
				}
			}
			wantSame(t, "in a new process", before, askMore(t, newArchive(log, files, "movie", "ledger"), streams))
			if removes(kind) {
				awaitLeft(t, log, kept(log, before, streams))
			}
			first := eventstore.NoStream
			for event, err := range log.ReadStream(t.Context(), "ledger-a", eventstore.Forwards, 0) {
				if err != nil {
					t.Fatal(err)
				}
				first = event.Revision
				break
			}
			if first != half+2 {
				t.Errorf("the log has ledger-a from %d on, want %d", first, half+2)
			}
			r := rand.New(rand.NewPCG(1, 2))
			last := eventstore.Revision(len(before["ledger-a from 0"]) - 1)
			if _, err := store.Append(t.Context(), "ledger-a", last, events(r, 3, "Moved", 50)...); err != nil {
				t.Fatal(err)
			}
			if again := ask(t, store, streams)["ledger-a from 0"]; len(again) != int(last)+4 {
				t.Errorf("the stream has %d events after an append, want %d", len(again), last+4)
			}
		})
	}
}

// TestArchivePrefixes_gap: what the log lacks cannot be archived, and nothing is.
func TestArchivePrefixes_gap(t *testing.T) {
	t.Parallel()
	log, files := kinds["memory"](t), newFolder()
	fillLog(t, log, 2, 100)
	meta := eventstore.Proposed{Type: "$metadata", Data: []byte(`{"$tb":3}`)}
	if _, err := log.Append(t.Context(), "$$ledger-a", eventstore.NoStream, meta); err != nil {
		t.Fatal(err)
	}
	_, err := newArchive(log, files, "movie", "ledger").ArchivePrefixes(t.Context(), []archived.Prefix{{Stream: "ledger-a", Through: 4}})
	if err == nil || !strings.Contains(err.Error(), "event 3 where 0 is expected") || len(files.files) != 0 {
		t.Errorf("%v, %d files", err, len(files.files))
	}
}
