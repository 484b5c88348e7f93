package processors_test

import (
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/projections"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		refuse  bool
		charged int64
	}{
		"a success is charged once": {false, 4},
		"a failure is released":     {true, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit()
				pr.do(task(projections.WorkSettle, project, 0)) // too early is nothing
				if tt.refuse {
					pr.render.seconds = 601
				}
				pr.do(render(project, 0))
				for range 3 {
					pr.do(task(projections.WorkSettle, project, 0))
				}
				if l := w.ledger(); l.Charged != tt.charged || l.Held != 0 {
					t.Errorf("ledger %+v", l)
				}
			})
		})
	}
}

// Decision 19: the time-out decides about the credits; the render may go on, and its end decides about the movie.
func TestTimeOut(t *testing.T) {
	t.Parallel()
	t.Run("a late success is free", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit(webhook("https://a.example"))
			pr.render.step = sleeping(renderTimeout + time.Minute)
			done := pr.send(render(project, 0))
			time.Sleep(renderTimeout - time.Second)
			pr.do(task(projections.WorkTimeout, project, 0))
			if got := w.movie(project).Status(); got != movie.Running {
				t.Errorf("status %s a second too early", got)
			}
			time.Sleep(time.Second)
			pr.do(task(projections.WorkTimeout, project, 0))
			if got := w.movie(project).Status(); got != movie.Timeout {
				t.Errorf("status %s after the limit", got)
			}
			pr.do(deliver(project, 0))
			if len(w.hooks.calls) != 0 {
				t.Error("a webhook went out before the render ended")
			}
			pr.do(task(projections.WorkSettle, project, 0))
			<-done
			pr.do(task(projections.WorkSettle, project, 0))
			pr.do(deliver(project, 0))
			if got := w.movie(project).Status(); got != movie.Done {
				t.Errorf("status %s after the late success", got)
			}
			if l := w.ledger(); l.Charged != 0 || l.Held != 0 {
				t.Errorf("ledger %+v", l)
			}
			if len(w.hooks.calls) != 1 || w.hooks.calls[0].payload["success"] != true {
				t.Errorf("webhooks %+v", w.hooks.calls)
			}
		})
	})
	t.Run("a dead render is closed by the keeper", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			dead := w.start("dead")
			project := w.submit(webhook("https://a.example"))
			dead.render.step = untilCancelled
			dead.send(render(project, 0))
			synctest.Wait()
			dead.link.crash(0, false)
			close(dead.link.crashed)
			defer dead.drain(0)

			keeper := w.start("keeper")
			defer keeper.drain(time.Minute)
			time.Sleep(renderTimeout)
			keeper.do(task(projections.WorkTimeout, project, 0))
			keeper.do(task(projections.WorkStop, project, 1))
			keeper.do(deliver(project, 0))
			if got := w.movie(project).Status(); got != movie.Timeout {
				t.Errorf("status %s", got)
			}
			if len(w.hooks.calls) != 1 || w.hooks.calls[0].payload["error"] != "Movie took too long to render" {
				t.Errorf("webhooks %+v", w.hooks.calls)
			}
		})
	})
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		const project = domain.ProjectID("AbCdEfGhIjKlMnOp")
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: project, Amount: 7})))
		})
		pr.do(task(projections.WorkAbandon, project, 0)) // too young
		if l := w.ledger(); l.Held != 7 {
			t.Errorf("ledger %+v", l)
		}
		time.Sleep(abandonAge)
		for range 2 {
			pr.do(task(projections.WorkAbandon, project, 0))
		}
		if l := w.ledger(); l.Held != 0 || l.Charged != 0 {
			t.Errorf("ledger %+v", l)
		}
		if got := w.types(project); got != "SubmissionAbandoned" {
			t.Errorf("stream %s", got)
		}
	})
}
