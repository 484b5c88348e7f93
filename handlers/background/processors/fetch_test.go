package processors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/background/processors"
	"moviola/projections"
)

var _ processors.Fetches = commands.SourceFetches{}

// fetcher fetches nothing. A step that is set says what comes of it; without one, all is at hand.
type fetcher struct {
	mu    sync.Mutex
	asked []commands.Fetch
	step  func(ctx context.Context, n int) error // of those that may download; n counts from 1
	tries int
}

func (f *fetcher) FetchSources(ctx context.Context, job commands.FetchJob) error {
	return f.do(ctx, job.Fetch)
}

func (f *fetcher) FetchItem(ctx context.Context, _ commands.PrepareJob, fetch commands.Fetch) error {
	return f.do(ctx, fetch)
}

func (f *fetcher) do(ctx context.Context, fetch commands.Fetch) error {
	f.mu.Lock()
	f.asked = append(f.asked, fetch)
	if f.step != nil && !fetch.AtHand {
		f.tries++
	}
	n, step := f.tries, f.step
	f.mu.Unlock()
	switch {
	case step == nil:
		return nil
	case fetch.AtHand:
		return commands.ErrNotAtHand
	}
	return step(ctx, n)
}

// untilStopped waits until ctx ends, and then fails like a download that was cut.
func untilStopped(ctx context.Context, _ int) error {
	<-ctx.Done()
	return domain.Errorf(domain.Invalid, "asset", "Scene #1: the download ended early")
}

// submitSourced posts a movie that names a file.
func (w *world) submitSourced() domain.ProjectID {
	w.made++
	return w.submitBody(fmt.Appendf(nil, `{"variables":{"n":%d},"scenes":[{"duration":4,"elements":[{"type":"image","src":"https://a.example/1.png"}]}]}`, w.made))
}

func fetch(project domain.ProjectID, dead int) projections.Task {
	return task(projections.WorkFetch, project, dead)
}

func (w *world) mustTypes(project domain.ProjectID, want string) {
	w.t.Helper()
	if got := w.types(project); got != want {
		w.t.Errorf("got %s, want %s", got, want)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	t.Run("all is at hand: one event, and no claim", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submitSourced()
			pr.do(fetch(project, 0))
			pr.do(render(project, 0))
			pr.do(fetch(project, 0)) // a message may come twice
			w.mustTypes(project, "MovieSubmitted SourcesFetched RenderStarted RenderFinished")
		})
	})
	t.Run("fetched with a claim, in which the movie waits", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submitSourced()
			pr.fetch.step = func(context.Context, int) error {
				if status := w.movie(project).Status(); status != "pending" {
					t.Errorf("status %s", status)
				}
				time.Sleep(5 * time.Second)
				if row := w.board.row("fetch/" + string(project)); row.Beat == 0 || row.Worker != "one" {
					t.Errorf("no sign of life: %+v", row)
				}
				return nil
			}
			pr.do(fetch(project, 0))
			w.mustTypes(project, "MovieSubmitted SourcesFetchStarted SourcesFetched")
			if row := w.board.row("fetch/" + string(project)); row.Beat != 0 {
				t.Errorf("a presence row stays: %+v", row)
			}
		})
	})
	t.Run("a source cannot be had", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submitSourced()
			pr.fetch.step = func(context.Context, int) error {
				return domain.Errorf(domain.Invalid, "asset", "Scene #1, element #1: Failed to download 'https://a.example/1.png' (503)")
			}
			pr.do(fetch(project, 0))
			w.mustTypes(project, "MovieSubmitted SourcesFetchStarted RenderFinished")
			if end := w.finished(project); end.Success || !strings.HasSuffix(end.Message, "1.png' (503)") || end.Attempt != 0 {
				t.Errorf("outcome %+v", end)
			}
		})
	})
	t.Run("what may pass is tried again, what is our own fault ends after three", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submitSourced()
			pr.fetch.step = func(context.Context, int) error { return errors.New("the disk is odd") }
			pr.do(fetch(project, 0))
			if end := w.finished(project); !strings.Contains(end.Message, "internal error") || pr.fetch.tries != 3 {
				t.Errorf("outcome %+v after %d", end, pr.fetch.tries)
			}
		})
	})
}

func TestFetch_Stops(t *testing.T) {
	t.Parallel()
	t.Run("drained: handed back, and fetched by another with the time that is left", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			project := w.submitSourced()
			first := time.Now()
			for range 2 {
				pr := w.start("one")
				pr.fetch.step = untilStopped
				pr.send(fetch(project, 0))
				synctest.Wait()
				pr.drain(3 * time.Second)
			}
			pr := w.start("two")
			defer pr.drain(time.Minute)
			pr.fetch.step = func(context.Context, int) error { return nil }
			pr.do(fetch(project, 0))
			w.mustTypes(project, "MovieSubmitted SourcesFetchStarted SourcesFetchReleased SourcesFetchStarted SourcesFetchReleased SourcesFetchStarted SourcesFetched")
			last := pr.fetch.asked[len(pr.fetch.asked)-1]
			if last.Spent != 6*time.Second || !last.Since.Equal(first) {
				t.Errorf("asked with %+v, first at %s", last, first)
			}
		})
	})
	t.Run("the slot is asked for", func(t *testing.T) {
		t.Parallel()
		for _, cause := range []error{commands.ErrShare, commands.ErrGiveWay, commands.ErrAlone} {
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submitSourced()
				ended := make(chan error, 1)
				pr.fetch.step = func(ctx context.Context, n int) error {
					err := untilStopped(ctx, n)
					ended <- context.Cause(ctx)
					return err
				}
				ctx, stop := context.WithCancelCause(t.Context())
				done := pr.queue.sendUnder(ctx, fetch(project, 0))
				synctest.Wait()
				stop(cause)
				if got := <-ended; !errors.Is(got, cause) {
					t.Errorf("it ended by %v, want %v", got, cause)
				}
				if ok := <-done; !ok {
					t.Error("giving way is no failure")
				}
				w.mustTypes(project, "MovieSubmitted SourcesFetchStarted SourcesFetchReleased")
			})
		}
	})
	t.Run("killed: taken over", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			project := w.submitSourced()
			one := w.start("one")
			one.fetch.step = untilStopped
			one.send(fetch(project, 0))
			synctest.Wait()
			one.link.crash(0, false)
			close(one.link.crashed)
			two := w.start("two")
			defer two.drain(time.Minute)
			two.fetch.step = func(context.Context, int) error { return nil }
			taken := fetch(project, 1)
			taken.Death = domain.OutOfMemory
			two.do(taken)
			w.mustTypes(project, "MovieSubmitted SourcesFetchStarted SourcesFetchStarted SourcesFetched")
			one.drain(time.Second)
		})
	})
	for name, end := range map[string]func(w *world, project domain.ProjectID){
		"cancelled": func(w *world, project domain.ProjectID) {
			w.commands(w.log(), func(c *commandSet) {
				must(w.t, second(c.cancel.Handle(w.t.Context(), commands.CancelMovie{Account: alice, Project: project})))
			})
		},
		"taken over by another": func(w *world, project domain.ProjectID) {
			must(w.t, second(commands.NewSourceFetches(w.log(), time.Now).Start(w.t.Context(),
				commands.StartFetch{Project: project, FetchStart: domain.FetchStart{Worker: "other", Dead: 1}})))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submitSourced()
				pr.fetch.step = untilStopped
				done := pr.send(fetch(project, 0))
				synctest.Wait()
				end(w, project)
				if ok := <-done; !ok {
					t.Error("a lost claim is no failure")
				}
				if got := w.types(project); strings.Contains(got, "SourcesFetchReleased") || strings.Contains(got, "RenderFinished") {
					t.Errorf("events %s", got)
				}
			})
		})
	}
}
