package archived_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	"moviola/eventstore/storetest"
)

// A store with an archive keeps the contract of every store.
func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) eventstore.Store { return archived.New(memory.New(), newFolder(), "movie") })
}

// Every answer is the same after archiving, in this process and in a new one, whether the log has removed the events or not.
func TestArchive(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			streams := fillLog(t, log, 30, 2000)
			store := newArchive(log, files, "movie")
			before := askMore(t, store, streams)
			wantSame(t, "without an archive", askMore(t, log, streams), before)
			done, err := store.Archive(t.Context(), later())
			if err != nil || done.Files == 0 || done.Streams == 0 || len(files.files) != done.Files {
				t.Fatalf("archived %+v, %v; there are %d files", done, err, len(files.files))
			}
			wantSame(t, "in the same process", before, askMore(t, store, streams))
			if removes(kind) {
				awaitLeft(t, log, kept(log, before, streams))
			}
			wantSame(t, "in a new process", before, askMore(t, newArchive(log, files, "movie"), streams))
			if again, err := store.Archive(t.Context(), later()); err != nil || again != (archived.Done{}) {
				t.Errorf("archived again: %+v, %v", again, err)
			}
		})
	}
}

// Archived streams go on: they are appended to at their revision, and archived again.
func TestArchive_goesOn(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			streams := fillLog(t, log, 12, 100)
			store := newArchive(log, files, "movie")
			r := rand.New(rand.NewPCG(1, 2))
			for round := range 3 {
				if _, err := store.Archive(t.Context(), later()); err != nil {
					t.Fatal(err)
				}
				for _, stream := range streams[:5] {
					last, err := eventstore.NewLog(store, eventstore.NewCodec()).Last(t.Context(), stream)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := store.Append(t.Context(), stream, last.Revision, events(r, 2, "Ended", 50)...); err != nil {
						t.Fatalf("round %d: %v", round, err)
					}
					var conflict *eventstore.ConflictError
					_, err = store.Append(t.Context(), stream, 0, events(r, 1, "Ended", 50)...)
					if !errors.As(err, &conflict) || conflict.Actual != last.Revision+2 {
						t.Errorf("an append at a revision that is archived: %v", err)
					}
				}
			}
			before := ask(t, store, streams)
			for i, stream := range streams {
				for n, event := range before[fmt.Sprint(stream, " from ", 0)] {
					if event.Revision != eventstore.Revision(n) {
						t.Fatalf("stream %d: event %d has revision %d", i, n, event.Revision)
					}
				}
			}
			if _, err := store.Archive(t.Context(), later()); err != nil {
				t.Fatal(err)
			}
			if removes(kind) {
				awaitLeft(t, log, kept(log, before, streams))
			}
			wantSame(t, "after four rounds", before, ask(t, store, streams))
		})
	}
}

// What is younger, has not ended or is of another category stays, and is archived when its time has come.
func TestArchive_rule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)
	log := memory.New(memory.WithClock(func() time.Time { return now }))
	files := newFolder()
	store := newArchive(log, files, "movie")
	r := rand.New(rand.NewPCG(1, 2))
	add := func(stream string, at eventstore.Revision, kind string, n int) {
		t.Helper()
		if _, err := log.Append(t.Context(), stream, at, events(r, n, kind, 50)...); err != nil {
			t.Fatal(err)
		}
	}
	archive := func(before time.Time, files, streams, events int) {
		t.Helper()
		done, err := store.Archive(t.Context(), archived.Rule{Before: before, Ended: ended})
		if err != nil || done.Files != files || done.Streams != streams || done.Events != events {
			t.Errorf("before %s: %+v, %v; want %d files, %d streams, %d events", before, done, err, files, streams, events)
		}
	}
	add("movie-open", -1, "Moved", 3)
	add("movie-late", -1, "Ended", 3)
	add("movie-old", -1, "Ended", 3)
	add("other-old", -1, "Ended", 3)
	add("movie-one", -1, "Ended", 1)
	now = now.Add(72 * time.Hour) // in February
	add("movie-late", 2, "Ended", 1)
	add("movie-new", -1, "Ended", 4)
	archive(now, 1, 1, 3)
	archive(now, 0, 0, 0)
	now = now.Add(time.Hour)
	add("movie-open", 2, "Ended", 1)
	archive(now, 1, 2, 8)
	archive(now.Add(time.Second), 1, 1, 4)
	for key := range files.files {
		if month := key[len("history/"):len("history/2026-01")]; month != "2026-01" && month != "2026-02" {
			t.Errorf("the file %s", key)
		}
	}
}

// A read that began before events were archived and removed brings them all the same.
func TestArchive_meanwhile(t *testing.T) {
	t.Parallel()
	open := kinds["embedded"]
	reads := map[string]func(eventstore.Store, context.Context) iter.Seq2[eventstore.Recorded, error]{
		"forwards": func(s eventstore.Store, ctx context.Context) iter.Seq2[eventstore.Recorded, error] {
			return s.ReadAll(ctx, eventstore.Forwards, eventstore.Position{})
		},
		"backwards": func(s eventstore.Store, ctx context.Context) iter.Seq2[eventstore.Recorded, error] {
			return s.ReadAll(ctx, eventstore.Backwards, eventstore.Position{})
		},
		"subscribed": func(s eventstore.Store, ctx context.Context) iter.Seq2[eventstore.Recorded, error] {
			return func(yield func(eventstore.Recorded, error) bool) {
				sub, err := s.Subscribe(ctx, eventstore.Position{}, eventstore.Filter{})
				for err == nil {
					var notice eventstore.Notice
					if notice, err = sub.Next(ctx); notice.CaughtUp || notice.Event != nil && !yield(*notice.Event, nil) {
						sub.Close()
						return
					}
				}
				yield(eventstore.Recorded{}, err)
			}
		},
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			streams := fillLog(t, log, 150, 100)
			before := ask(t, log, streams)
			store := newArchive(log, files, "movie")
			var got []eventstore.Recorded
			for event, err := range read(store, t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, event); len(got) != 20 {
					continue
				}
				if _, err := newArchive(log, files, "movie").Archive(t.Context(), later()); err != nil { // another process
					t.Fatal(err)
				}
				awaitLeft(t, log, kept(log, before, streams))
			}
			want := before["all"]
			if name == "backwards" {
				want = before["all, backwards"]
			}
			wantSame(t, name, told{"all": want}, told{"all": got})
		})
	}
}

// A live subscription brings what is appended, each event once, while its predecessors are archived.
func TestSubscribe_live(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			log, files := open(t), newFolder()
			store := newArchive(log, files, "movie")
			fillLog(t, log, 10, 100)
			sub, err := store.Subscribe(t.Context(), eventstore.Position{}, eventstore.Filter{Categories: []string{"movie"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			r := rand.New(rand.NewPCG(1, 2))
			if _, err := log.Append(t.Context(), "movie-live", -1, events(r, 2, "Ended", 50)...); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Archive(t.Context(), later()); err != nil {
				t.Fatal(err)
			}
			if _, err := log.Append(t.Context(), "movie-live", 1, events(r, 1, "Ended", 50)...); err != nil {
				t.Fatal(err)
			}
			var got []eventstore.Revision
			for len(got) < 3 {
				notice, err := sub.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if notice.Event != nil && notice.Event.Stream == "movie-live" {
					got = append(got, notice.Event.Revision)
				}
			}
			if fmt.Sprint(got) != "[0 1 2]" {
				t.Errorf("revisions %v", got)
			}
		})
	}
}
