package archived_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/archived"
)

// What was archived when the log could not collapse streams is collapsed by the next round that may, but for streams that
// have got events since, or whose metadata says more. Answers are the same.
func TestArchive_collapsesLater(t *testing.T) {
	t.Parallel()
	log, files := kinds["embedded"](t), newFolder()
	streams := fillLog(t, log, 12, 100)
	own := eventstore.Proposed{ID: uuid.New(), Type: "$metadata", Data: []byte(`{"own":1}`)}
	if _, err := log.Append(t.Context(), "$$"+streams[1], eventstore.NoStream, own); err != nil {
		t.Fatal(err)
	}
	may := false
	store := archived.New(log, files, "movie")
	store.CollapseIf(func(context.Context) (bool, error) { return may, nil })
	if _, err := store.Archive(t.Context(), later()); err != nil {
		t.Fatal(err)
	}
	last, err := eventstore.NewLog(store, eventstore.NewCodec()).Last(t.Context(), streams[2])
	if err != nil {
		t.Fatal(err)
	}
	more := eventstore.Proposed{ID: uuid.New(), Type: "Moved", Data: []byte(`{}`), Metadata: []byte(`{"v":1,"account":"alice"}`)}
	if _, err := store.Append(t.Context(), streams[2], last.Revision, more); err != nil {
		t.Fatal(err)
	}
	before := askMore(t, store, streams)
	awaitLeft(t, log, kept(log, before, streams)+1)
	may = true
	for range 2 {
		// A rule that archives nothing: the stream that has got an event stays as it is.
		nothing := archived.Rule{Before: later().Before, Ended: func([]eventstore.Recorded) (bool, error) { return false, nil }}
		if done, err := store.Archive(t.Context(), nothing); err != nil || done.Files > 0 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	// streams[1] keeps its newest event, and streams[2] the newest archived one and one more
	awaitLeft(t, log, kept(collapsing{log}, before, streams)+3)
	wantSame(t, "after it was collapsed", before, askMore(t, archived.New(log, files, "movie"), streams))
	said := 0
	for event, err := range log.ReadStream(t.Context(), archived.CatalogStream, eventstore.Forwards, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == "$collapsing" {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the catalogue says %d times that streams may be collapsed", said)
	}
}

// A file that is gone keeps neither later movies from being archived nor those of other files from being collapsed.
func TestArchive_collapseWithoutAFile(t *testing.T) {
	t.Parallel()
	log, files, may := kinds["memory"](t), newFolder(), false
	store := archived.New(log, files, "movie")
	store.CollapseIf(func(context.Context) (bool, error) { return may, nil })
	r := rand.New(rand.NewPCG(1, 2))
	round := func(stream string) error {
		if _, err := store.Append(t.Context(), stream, eventstore.NoStream, events(r, 3, "Ended", 9)...); err != nil {
			t.Fatal(err)
		}
		_, err := store.Archive(t.Context(), later())
		return err
	}
	for _, stream := range []string{"movie-lost", "movie-a"} {
		if err := round(stream); err != nil {
			t.Fatal(err)
		}
		if stream == "movie-lost" {
			clear(files.files)
		}
	}
	may = true
	store = archived.New(log, files, "movie")
	store.CollapseIf(func(context.Context) (bool, error) { return may, nil })
	if err := round("movie-b"); err == nil {
		t.Errorf("the error is %v", err)
	}
	for stream, want := range map[string]bool{"movie-lost": false, "movie-a": true, "movie-b": true} {
		for event, err := range log.ReadStream(t.Context(), "$$"+stream, eventstore.Backwards, -1) {
			if got := strings.Contains(string(event.Data), eventstore.CollapseProperty); err != nil || got != want {
				t.Errorf("%s: %s, %v", stream, event.Data, err)
			}
			break
		}
	}
}

// The metadata of a collapsed stream names its account, as that of its events did.
func TestArchive_collapsedAccount(t *testing.T) {
	t.Parallel()
	log, files := kinds["memory, collapsing"](t), newFolder()
	var both []eventstore.Proposed
	for range 2 {
		both = append(both, eventstore.Proposed{
			ID: uuid.New(), Type: "Ended", Data: []byte(`{}`), Metadata: []byte(`{"v":1,"account":"alice","time":"2026-01-01T00:00:00Z"}`),
		})
	}
	if _, err := log.Append(t.Context(), "movie-a", eventstore.NoStream, both...); err != nil {
		t.Fatal(err)
	}
	if _, err := newArchive(log, files, "movie").Archive(t.Context(), later()); err != nil {
		t.Fatal(err)
	}
	for event, err := range log.ReadStream(t.Context(), "$$movie-a", eventstore.Backwards, -1) {
		if err != nil || !strings.Contains(string(event.Data), `"account":"alice"`) {
			t.Errorf("%s, %v", event.Data, err)
		}
		break
	}
}

// An archive that cannot find out whether the log may collapse streams does nothing.
func TestArchive_collapseUnknown(t *testing.T) {
	t.Parallel()
	log, unknown := kinds["memory"](t), errors.New("unknown")
	fillLog(t, log, 3, 10)
	store := archived.New(log, newFolder(), "movie")
	store.CollapseIf(func(context.Context) (bool, error) { return false, unknown })
	if done, err := store.Archive(t.Context(), later()); !errors.Is(err, unknown) || done.Files > 0 {
		t.Errorf("%+v, %v", done, err)
	}
}
