package archived_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/eventstoredb"
)

// A copy has every event at its revision and needs no archive, also when the first half was copied before archiving; other
// metadata of the streams is kept.
func TestCopy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind  string
		early bool
	}{
		"at once": {"embedded", false}, "in two steps": {"embedded", true},
		"collapsed, at once": {"embedded, collapsing", false}, "collapsed, in two steps": {"embedded, collapsing", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, target, files := kinds[tt.kind](t), kinds["embedded"](t).(patient).Store, newFolder()
			streams := fillLog(t, log, 12, 200)
			described := []eventstore.Proposed{{ID: events(rand.New(rand.NewPCG(3, 4)), 1, "x", 1)[0].ID, Type: "$metadata", Data: []byte(`{"own":1}`)}}
			if _, err := log.Append(t.Context(), "$$"+streams[1], eventstore.NoStream, described...); err != nil {
				t.Fatal(err)
			}
			store := newArchive(log, files, "movie")
			copied := func() {
				t.Helper()
				done, err := eventstoredb.Copy(t.Context(), store, target, func(eventstoredb.Copied) {})
				if err != nil || done.Filled != 0 {
					t.Fatalf("%+v, %v", done, err)
				}
				if _, err := eventstoredb.Compare(t.Context(), store, target, done.Position); err != nil {
					t.Fatal(err)
				}
			}
			if tt.early {
				copied()
			}
			if _, err := store.Archive(t.Context(), later()); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Append(t.Context(), "movie-new", eventstore.NoStream, events(rand.New(rand.NewPCG(5, 6)), 2, "Ended", 9)...); err != nil {
				t.Fatal(err)
			}
			copied()
			for event, err := range target.ReadEverything(t.Context(), eventstore.Forwards, eventstore.Position{}) {
				if err != nil {
					t.Fatal(err)
				}
				if event.Stream == archived.CatalogStream || strings.Contains(string(event.Data), "moviolaArchived") {
					t.Errorf("the copy has %s of %s: %s", event.Type, event.Stream, event.Data)
				}
				if event.Type == "$metadata" && string(event.Data) != `{"own":1}` {
					t.Errorf("metadata %s of %s", event.Data, event.Stream)
				}
			}
			for _, stream := range append(streams, "movie-new") {
				want, got := revisions(t, store, stream), revisions(t, target, stream)
				if want != got {
					t.Errorf("%s: %s, in the copy %s", stream, want, got)
				}
			}
			if _, err := archived.New(target, newFolder(), "movie").Archive(t.Context(), later()); err != nil {
				t.Errorf("archive the copy: %v", err)
			}
		})
	}
}

// revisions lists the events of a stream.
func revisions(t *testing.T, store eventstore.Store, stream string) (text string) {
	t.Helper()
	for event, err := range store.ReadStream(t.Context(), stream, eventstore.Forwards, 0) {
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprint(event.Revision, event.ID, event.Type, " ")
	}
	return text
}
