package processors_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/projections"
)

func TestRender_StopsWhenItsClaimEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  func(*world, *commandSet, domain.ProjectID)
		want string
	}{
		"by a later attempt": {
			end: func(w *world, c *commandSet, project domain.ProjectID) {
				must(w.t, second(c.all.StartRender.Handle(w.t.Context(), commands.StartRender{Project: project, Worker: "two", Dead: 1})))
			},
			want: "MovieSubmitted RenderStarted RenderStarted",
		},
		"by a cancellation": {
			end: func(w *world, _ *commandSet, project domain.ProjectID) {
				log := w.log()
				must(w.t, second(log.Append(w.t.Context(), movie.Stream(project), 1, eventstore.Meta{Time: time.Now()}, movie.Cancelled{At: time.Now()})))
			},
			want: "MovieSubmitted RenderStarted MovieCancelled",
		},
		"by the keeper of the same process": {
			end: func(w *world, _ *commandSet, project domain.ProjectID) {
				time.Sleep(2 * renderTimeout)
			},
			want: "MovieSubmitted RenderStarted RenderTimedOut RenderFinished",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit()
				pr.render.step = untilCancelled
				done := pr.send(render(project, 0))
				synctest.Wait()
				w.commands(w.log(), func(c *commandSet) { tt.end(w, c, project) })
				if name == "by the keeper of the same process" {
					pr.do(task(projections.WorkStop, project, 0))
				}
				ended := time.Now()
				if ok := <-done; !ok {
					t.Error("losing a claim is no failure")
				}
				if took := time.Since(ended); took > time.Second {
					t.Errorf("the render was stopped after %s", took)
				}
				if got := w.types(project); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) > 0 {
					t.Errorf("a lost attempt left %v", keys)
				}
			})
		})
	}
}

func TestRender_Drain(t *testing.T) {
	t.Parallel()
	t.Run("waits for the render", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			project := w.submit()
			pr.render.step = func(context.Context, commands.RenderJob, int) error {
				time.Sleep(20 * time.Second)
				return nil
			}
			pr.send(render(project, 0))
			synctest.Wait()
			pr.drain(30 * time.Second)
			if end := w.finished(project); !end.Success {
				t.Errorf("outcome %+v", end)
			}
		})
	})
	t.Run("hands the claim back when it takes too long, as often as it happens", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			project := w.submit()
			for range 4 {
				pr := w.start("one")
				pr.render.step = untilCancelled
				pr.send(render(project, 0))
				synctest.Wait()
				began := time.Now()
				pr.drain(3 * time.Second)
				if took := time.Since(began); took > 4*time.Second {
					t.Errorf("the drain took %s", took)
				}
			}
			pr := w.start("one")
			defer pr.drain(time.Minute)
			pr.do(render(project, 0))
			if end := w.finished(project); !end.Success || end.Attempt != 5 {
				t.Errorf("outcome %+v", end)
			}
			if n := strings.Count(w.types(project), "RenderReleased"); n != 4 {
				t.Errorf("%d releases in %s", n, w.types(project))
			}
			if row := w.board.row("render/" + string(project)); row.Beat != 0 {
				t.Errorf("a presence row stays: %+v", row)
			}
		})
	})
	t.Run("says that a render ignores its end, and ends the process all the same", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.set.ledgers.Close()
			defer pr.cancel()
			stuck := make(chan struct{})
			pr.render.step = func(context.Context, commands.RenderJob, int) error { <-stuck; return nil }
			pr.send(render(w.submit(), 0))
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := pr.p.Drain(ctx); err == nil {
				t.Error("the drain has waited for the render")
			}
			synctest.Wait()
			select {
			case err := <-pr.stopped:
				if err != nil {
					t.Errorf("run: %v", err)
				}
			default:
				t.Error("the process goes on")
			}
			close(stuck)
			synctest.Wait()
		})
	})
	t.Run("is not taken for the movie's own fault", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			project := w.submit()
			pr.render.step = func(ctx context.Context, _ commands.RenderJob, _ int) error {
				<-ctx.Done()
				return domain.Errorf(domain.Invalid, "asset", "Scene #1: the download ended early")
			}
			pr.send(render(project, 0))
			synctest.Wait()
			pr.drain(0)
			if got, want := w.types(project), "MovieSubmitted RenderStarted RenderReleased"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	})
	t.Run("is bounded when the event store is away", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			project := w.submit()
			pr.render.step = untilCancelled
			pr.send(render(project, 0))
			synctest.Wait()
			pr.link.crash(0, false)
			close(pr.link.crashed)
			began := time.Now()
			pr.drain(3 * time.Second)
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("the drain took %s", took)
			}
		})
	})
	t.Run("by the end of Run's context", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			project := w.submit()
			pr.render.step = untilCancelled
			pr.send(render(project, 0))
			synctest.Wait()
			pr.cancel()
			must(t, <-pr.stopped)
			pr.set.ledgers.Close()
			if got, want := w.types(project), "MovieSubmitted RenderStarted RenderReleased"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	})
}

func TestDeliver_GoesOnWhereADrainedRunStopped(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		project := w.submit(webhook("https://a.example"), webhook("https://b.example"))
		pr.do(render(project, 0))
		w.hooks.answers = answering(200, 500, 500, 200)
		pr.send(deliver(project, 0))
		time.Sleep(2 * time.Second) // the third try is due in 2 s more
		pr.drain(0)
		if got := w.types(project); !strings.HasSuffix(got, "DeliveryReleased") {
			t.Fatalf("stream %s", got)
		}
		next := w.start("two")
		defer next.drain(time.Minute)
		next.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 ok!, 1.1 error, 1.2 error, 1.3 ok!" {
			t.Errorf("recorded %s", got)
		}
		calls := w.hooks.calls
		if len(calls) != 4 || calls[3].at.Sub(calls[2].at) != 3*time.Second {
			t.Errorf("calls %+v", calls)
		}
	})
}

func TestDeliver_ASendIsNotCutByADrain(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		project := w.submit(webhook("https://a.example"))
		pr.do(render(project, 0))
		w.hooks.answers = func(ctx context.Context, _ int) (delivery.WebhookResult, error) {
			select {
			case <-time.After(3 * time.Second):
				return delivery.WebhookResult{Delivered: true}, nil
			case <-ctx.Done():
				return delivery.WebhookResult{}, ctx.Err()
			}
		}
		pr.send(deliver(project, 0))
		synctest.Wait()
		pr.drain(0)
		next := w.start("two")
		defer next.drain(time.Minute)
		next.do(deliver(project, 0))
		if len(w.hooks.calls) != 1 || outcomes(w.tries(project)) != "0.1 ok!" {
			t.Errorf("%d calls, recorded %s", len(w.hooks.calls), outcomes(w.tries(project)))
		}
	})
}

func TestDeliver_StopsWhenItsRunIsLost(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		one, two := w.start("one"), w.start("two")
		defer one.drain(time.Minute)
		defer two.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		one.do(render(project, 0))
		w.hooks.answers = answering(500, 200)
		first := one.send(deliver(project, 0))
		synctest.Wait()
		two.do(deliver(project, 1)) // it takes one for dead
		if !<-first {
			t.Error("losing a run is no failure")
		}
		if got := outcomes(w.tries(project)); got != "0.1 error, 0.2 ok!" || len(w.hooks.calls) != 2 {
			t.Errorf("recorded %s after %d calls", got, len(w.hooks.calls))
		}
	})
}

func TestDeliver_ThreeCrashesEndIt(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		first := w.start("first")
		defer first.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		first.do(render(project, 0))
		w.hooks.answers = func(ctx context.Context, _ int) (delivery.WebhookResult, error) {
			<-ctx.Done()
			return delivery.WebhookResult{}, ctx.Err()
		}
		for run := range 3 {
			pr := w.start("crashing")
			task := deliver(project, run)
			task.Death = domain.Crashed
			pr.send(task)
			synctest.Wait()
			pr.link.crash(0, false)
			close(pr.link.crashed)
			defer pr.drain(0)
		}
		w.hooks.answers = nil
		last := deliver(project, 3)
		last.Death = domain.Crashed
		first.do(last)
		if got := outcomes(w.tries(project)); got != "0.3 error!" || len(w.hooks.calls) != 3 {
			t.Errorf("recorded %s after %d calls", got, len(w.hooks.calls))
		}
	})
}
