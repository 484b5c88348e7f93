package projections_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"moviola/domain"
	"moviola/domain/installation"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// projected folds a log into a document store of its own and returns its documents.
func projected(t *testing.T, w *world, change func(*projections.Config)) map[string]string {
	t.Helper()
	own := &world{store: w.store, log: w.log, clock: w.clock, path: t.TempDir() + "/own.db"}
	docs := own.documents(t)
	config := own.config(docs)
	change(&config)
	models := mustOpen(t, config)
	start(t, models)
	last, err := lastOf(t.Context(), w.store)
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, models, last)
	return dump(t, docs)
}

// lastOf returns where the log ends.
func lastOf(ctx context.Context, store eventstore.Store) (eventstore.Appended, error) {
	for recorded, err := range store.ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
		return eventstore.Appended{Revision: recorded.Revision, Position: recorded.Position}, err
	}
	return eventstore.Appended{}, errors.New("the log is empty")
}

// TestReader_ReplayEqualsLive is the heart of the matter: whatever the batches, the failures and the company, the same log makes
// the same documents.
func TestReader_ReplayEqualsLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 60)) // live, as it happens
	want := dump(t, docs)
	if len(want) < 100 {
		t.Fatalf("the history made %d documents only", len(want))
	}
	for _, size := range []int{1, 2, 7, 50, 1000} {
		t.Run(fmt.Sprintf("batches of %d", size), func(t *testing.T) {
			t.Parallel()
			got := projected(t, w, func(c *projections.Config) { c.BatchEvents = size })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("documents (-live +replayed):\n%s", diff)
			}
		})
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("commits that fail amid, %d", seed), func(t *testing.T) {
			t.Parallel()
			var f *faulty
			got := projected(t, w, func(c *projections.Config) {
				f = newFaulty(c.Documents, seed, 0)
				c.Documents, c.BatchEvents = f, 40
				f.set(0.02)
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("documents (-live +replayed):\n%s", diff)
			}
			if f.failures() == 0 {
				t.Error("nothing failed: the test tests nothing")
			}
		})
	}
}

// TestReader_TwoProcesses lets two processes project into one store at once, both without transactions.
func TestReader_TwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []*projections.ReadModels
	for seed := range uint64(2) {
		config := w.config(newFaulty(w.documents(t), seed, 0.01))
		config.BatchEvents = 5 + int(seed)*6
		models := eventuallyOpen(t, config)
		start(t, models)
		all = append(all, models)
	}
	last := w.history(t, 60)
	for _, models := range all {
		waitFor(t, models, last)
	}
	want := projected(t, w, func(*projections.Config) {})
	docs := w.documents(t)
	mustOpen(t, w.config(docs))
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-alone +together):\n%s", diff)
	}
}

// eventuallyOpen opens read models over a store that fails now and then.
func eventuallyOpen(t *testing.T, config projections.Config) *projections.ReadModels {
	t.Helper()
	var models *projections.ReadModels
	eventually(t, "the read models open", func() bool {
		var err error
		models, err = projections.Open(t.Context(), config)
		return err == nil
	})
	return models
}

func TestReader_GoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	stop := start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	last := w.append(t, movie.Stream(project(2)), submitted(alice, t0))
	models = w.open(t)
	start(t, models)
	waitFor(t, models, last)
	list, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
	if err != nil || len(list.Movies) != 2 {
		t.Errorf("list: %d movies, %v", len(list.Movies), err)
	}
}

func TestReader_SurvivesOutages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newFaulty(w.documents(t), 1, 0)
	models := mustOpen(t, w.config(f))
	start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))

	w.store.DropSubscriptions()
	waitFor(t, models, w.append(t, movie.Stream(project(2)), submitted(alice, t0)))

	f.set(1)
	last := w.append(t, movie.Stream(project(3)), submitted(alice, t0))
	eventually(t, "the outage shows", func() bool { return models.Reader.Status().Err != nil })
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := models.Reader.WaitFor(short, last.Position); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the wait ended with %v", err)
	}
	f.set(0)
	waitFor(t, models, last)
	eventually(t, "the outage shows no more", func() bool {
		s := models.Reader.Status()
		return s.Err == nil && s.CaughtUp && s.Position == last.Position
	})
}

// TestReader_DropsAForeignCheckpoint proves that documents of another log are not built upon.
func TestReader_DropsAForeignCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	stop := start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0), movie.RenderStarted{Attempt: 1, Worker: "w", At: t0}))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.store = memory.New()
	w.log = eventstore.NewLog(w.store, eventstore.NewCodec())
	w.append(t, movie.Stream(project(1)), submitted(bob, t0))
	last := w.append(t, movie.Stream(project(2)), submitted(alice, t0), movie.Cancelled{At: t0})
	models = w.open(t)
	start(t, models)
	waitFor(t, models, last)
	for account, want := range map[domain.AccountID]domain.ProjectID{alice: project(2), bob: project(1)} {
		list, err := models.Movies.List(t.Context(), projections.MovieList{Account: account, Limit: 10})
		if err != nil || len(list.Movies) != 1 || list.Movies[0].Project != string(want) {
			t.Errorf("movies of %s: %+v, %v", account, list.Movies, err)
		}
	}
}

// TestReader_StopsRatherThanGoWrong covers what waiting cannot heal.
func TestReader_StopsRatherThanGoWrong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(t *testing.T, w *world)
		want  error
	}{
		{"a document that was lost", func(t *testing.T, w *world) {
			docs := w.documents(t)
			places := projections.Collection{Name: "movies_1"}
			if err := docs.Drop(t.Context(), places.Name); err != nil {
				t.Fatal(err)
			}
			w.append(t, movie.Stream(project(1)), movie.Cancelled{At: t0})
		}, projections.ErrGap},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			models := w.open(t)
			stop := start(t, models)
			waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, w)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := w.open(t).Reader.Run(ctx); !errors.Is(err, tt.want) {
				t.Errorf("the reader ended with %v, not %v", err, tt.want)
			}
		})
	}
}

// TestReader_IgnoresOtherStreams proves that events of other subjects, known or not, are nothing to the read models.
func TestReader_IgnoresOtherStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := eventstore.Proposed{ID: uuid.New(), Type: "WeatherChanged", Data: []byte(`{}`), Metadata: []byte(`{"v":1}`)}
	if _, err := w.store.Append(t.Context(), "weather-1", eventstore.NoStream, other); err != nil {
		t.Fatal(err)
	}
	models := w.open(t)
	start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))
}

func TestReader_Changed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	one, two := models.Reader.Changed(), models.Reader.Changed()
	start(t, models)
	for n := range 3 {
		waitFor(t, models, w.append(t, movie.Stream(project(n)), submitted(alice, t0)))
		for _, wake := range []<-chan struct{}{one, two} {
			select {
			case <-wake:
			case <-time.After(patience):
				t.Fatal("no token")
			}
		}
	}
}

// TestReader_Watches_catchesUp: a process that does not project has caught up when others have folded what the log had when it first
// looked. Otherwise it would take work from a list that names what was done long ago. Decision 86.
func TestReader_Watches_catchesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := func(name string) {
		t.Helper()
		if _, err := w.log.Append(t.Context(), name, eventstore.NoStream, eventstore.Meta{Account: alice, Time: t0}, installation.Opened{}); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere("elsewhere-1")
	config := w.config(w.documents(t))
	config.Project = false
	look := func(what string, watcher *projections.ReadModels, want bool) {
		t.Helper()
		for range 3 {
			if err := watcher.Reader.ReadCheckpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := watcher.Reader.Status().CaughtUp; got != want {
			t.Errorf("%s: caught up %v", what, got)
		}
	}
	idle := mustOpen(t, config)
	look("an event that concerns no read model", idle, true)
	last := w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	look("an event that came later", idle, true)
	elsewhere("elsewhere-2")
	watcher := mustOpen(t, config)
	look("an event that nobody has folded", watcher, false)
	models := w.open(t)
	stop := start(t, models)
	waitFor(t, models, last)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.append(t, movie.Stream(project(2)), submitted(alice, t0))
	look("an event that was folded, and one that came later", watcher, true)
	look("another process, with an event that nobody has folded", mustOpen(t, config), false)
}

// TestReader_Watches proves that a process which does not project sees what others do, a rebuild included.
func TestReader_Watches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.config(w.documents(t))
	config.Project = false
	watcher := mustOpen(t, config)
	wake := watcher.Reader.Changed()
	start(t, watcher)
	models := w.open(t)
	start(t, models)
	last := w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	waitFor(t, watcher, last)
	<-wake
	if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	w.clock.turn(projections.PointerInterval)
	waitFor(t, watcher, w.append(t, movie.Stream(project(2)), submitted(alice, t0)))
	eventually(t, "the watcher lists both movies", func() bool {
		list, err := watcher.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
		return err == nil && len(list.Movies) == 2
	})
}
