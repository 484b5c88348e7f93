package processors_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// untilCancelled is a render step that works until it is stopped.
func untilCancelled(ctx context.Context, _ commands.RenderJob, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

func render(project domain.ProjectID, dead int) projections.Task {
	return task(projections.WorkRender, project, dead)
}

func TestRender(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.seconds = 9
		pr.do(render(project, 0))
		if got, want := w.types(project), "MovieSubmitted RenderStarted RenderFinished"; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if start, _ := w.events(project)[1].(movie.RenderStarted); start.Encoder != "x264" || start.EncoderVersion != "core 164" {
			t.Errorf("it was started with %q %q", start.Encoder, start.EncoderVersion)
		}
		end := w.finished(project)
		if !end.Success || end.Credits != 9 || end.Plan == nil || end.Plan.Frames != 225 {
			t.Errorf("outcome %+v", end)
		}
		if end.File.Token != "" || end.File.Size != int64(len("movie by one")) {
			t.Errorf("file %+v", end.File)
		}
		keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project))
		if diff := cmp.Diff([]string{end.File.Thumbnail, end.File.Key}, keys); diff != "" {
			t.Errorf("stored files (-want +got):\n%s", diff)
		}
		if got := w.files.Text(end.File.Key); got != "movie by one" {
			t.Errorf("the stored movie is %q", got)
		}
		if held := w.ledger().Held; held != 9 {
			t.Errorf("held %d, the exact price is 9", held)
		}
		if row := w.board.row("render/" + string(project)); row.Beat != 0 {
			t.Errorf("the presence row stays: %+v", row)
		}
		pr.do(render(project, 0)) // a message is only a hint
		w.finished(project)
	})
}

func TestRender_TheMoviesOwnFaultEndsIt(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(context.Context, commands.RenderJob, int) error {
			return domain.Errorf(domain.Invalid, "asset", "Scene #1 Element #2: Failed to download")
		}
		pr.do(render(project, 0))
		end := w.finished(project)
		if end.Success || end.Message != "Scene #1 Element #2: Failed to download" || end.Credits != 0 || end.Plan == nil || !slices.Equal(end.Warnings, []string{"Movie Element #1: too long"}) {
			t.Errorf("outcome %+v", end)
		}
		if pr.render.renders != 1 {
			t.Errorf("rendered %d times", pr.render.renders)
		}
	})
}

// TestRender_RefusedPlanEncodesNothing: decision 17, design §5.
func TestRender_RefusedPlanEncodesNothing(t *testing.T) {
	t.Parallel()
	for seconds, message := range map[int64]string{
		601:  "Insufficient credits",
		1801: "Movie duration (1801 seconds) is longer than the service plan allowance (1800 seconds). Please upgrade the service plan to continue.",
	} {
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit()
			pr.render.seconds = seconds
			pr.render.step = func(context.Context, commands.RenderJob, int) error {
				t.Error("it was encoded")
				return nil
			}
			pr.do(render(project, 0))
			if end := w.finished(project); end.Success || end.Message != message || end.Credits != 0 {
				t.Errorf("outcome %+v", end)
			}
		})
	}
}

func TestRender_ErrorsThatAreNotTheMovies(t *testing.T) {
	t.Parallel()
	t.Run("end it after three tries", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit()
			pr.render.step = func(context.Context, commands.RenderJob, int) error { return errors.New("ffmpeg: secret path") }
			work := render(project, 0)
			work.Correlation = "request-1"
			pr.do(work)
			end := w.finished(project)
			for _, line := range pr.lines.AllEntries() {
				if line.Data["project"] != string(project) || line.Data["account"] != string(alice) || line.Data["request"] != "request-1" {
					t.Errorf("the line %q names %v, want the movie, its account and the request", line.Message, line.Data)
				}
			}
			if len(pr.lines.AllEntries()) != 3 {
				t.Errorf("%d lines, want one for each try", len(pr.lines.AllEntries()))
			}
			if end.Success || !strings.HasPrefix(end.Message, "Rendering failed") || strings.Contains(end.Message, "secret") {
				t.Errorf("outcome %+v", end)
			}
			if pr.render.renders != 3 {
				t.Errorf("rendered %d times", pr.render.renders)
			}
		})
	})
	t.Run("are forgotten when a later try succeeds", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit()
			pr.render.step = func(_ context.Context, _ commands.RenderJob, n int) error {
				if n < 3 {
					return errors.New("a hiccup")
				}
				return nil
			}
			pr.do(render(project, 0))
			if end := w.finished(project); !end.Success || end.Attempt != 1 {
				t.Errorf("outcome %+v", end)
			}
		})
	})
	t.Run("are waited out for ever when they pass", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit()
			pr.render.step = func(_ context.Context, _ commands.RenderJob, n int) error {
				if n < 12 {
					return eventstore.ErrUnavailable
				}
				return nil
			}
			pr.do(render(project, 0))
			if end := w.finished(project); !end.Success || end.Attempt != 1 {
				t.Errorf("outcome %+v", end)
			}
		})
	})
	t.Run("of the file store too", func(t *testing.T) {
		t.Parallel()
		inWorld(t, func(t *testing.T, w *world) {
			pr := w.start("one")
			defer pr.drain(time.Minute)
			project := w.submit()
			until := time.Now().Add(3 * time.Minute)
			w.files.Fail(func(call, _ string) error {
				if call == "put" && time.Now().Before(until) {
					return errors.New("disk full")
				}
				return nil
			})
			pr.do(render(project, 0))
			if end := w.finished(project); !end.Success || pr.render.renders != 1 {
				t.Errorf("outcome %+v after %d renders", end, pr.render.renders)
			}
		})
	})
}

func TestRender_AChangedDocumentIsNotRendered(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		must(t, w.files.Put(t.Context(), blobkey.Document(alice, project), strings.NewReader(`{"scenes":[]}`)))
		pr.do(render(project, 0))
		if end := w.finished(project); end.Success || pr.render.renders != 0 {
			t.Errorf("outcome %+v after %d renders", end, pr.render.renders)
		}
	})
}

func TestRender_AnOutageOfTheEventStoreDoesNotStopIt(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(context.Context, commands.RenderJob, int) error {
			w.store.LoseBefore(20)
			w.store.DropSubscriptions()
			return nil
		}
		pr.do(render(project, 0))
		if end := w.finished(project); !end.Success || end.Attempt != 1 || pr.render.renders != 1 {
			t.Errorf("outcome %+v after %d renders", end, pr.render.renders)
		}
	})
}

func TestRender_WhatWasStoredForNothingIsRemoved(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*world, *process, domain.ProjectID){
		"when the claim is lost": func(w *world, pr *process, project domain.ProjectID) {
			log := w.log()
			must(w.t, second(log.Append(w.t.Context(), movie.Stream(project), 1, eventstore.Meta{Time: time.Now()}, movie.Cancelled{At: time.Now()})))
			synctest.Wait()
			pr.drain(time.Minute)
		},
		"when the claim is handed back": func(_ *world, pr *process, _ domain.ProjectID) { pr.drain(0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				project := w.submit()
				w.files.Fail(func(call, key string) error {
					if call == "put" && strings.HasSuffix(key, ".jpg") {
						return errors.New("disk full")
					}
					return nil
				})
				pr.send(render(project, 0))
				time.Sleep(time.Minute)
				if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) != 1 {
					t.Fatalf("stored %v", keys)
				}
				lose(w, pr, project)
				if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) > 0 {
					t.Errorf("left %v", keys)
				}
			})
		})
	}
}

func TestRender_LateSuccessAfterDeletionKeepsNoFile(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(context.Context, commands.RenderJob, int) error {
			time.Sleep(renderTimeout + time.Second)
			return nil
		}
		done := pr.send(render(project, 0))
		time.Sleep(renderTimeout)
		pr.do(task(projections.WorkTimeout, project, 0))
		pr.do(task(projections.WorkSettle, project, 0))
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.delete.Handle(t.Context(), commands.DeleteFile{Account: alice, Project: project})))
		})
		<-done
		if end := w.finished(project); !end.Success || end.Credits != 0 || end.File.Key != "" {
			t.Errorf("outcome %+v", end)
		}
		if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) > 0 {
			t.Errorf("kept %v", keys)
		}
		pr.do(task(projections.WorkSettle, project, 0))
		if l := w.ledger(); l.Charged != 0 || l.Held != 0 {
			t.Errorf("ledger %+v", l)
		}
	})
}

func TestRender_LosingAClaimRaceIsSilent(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		one, two := w.start("one"), w.start("two")
		defer one.drain(time.Minute)
		defer two.drain(time.Minute)
		project := w.submit()
		first, other := one.send(render(project, 0)), two.send(render(project, 0))
		if !<-first || !<-other {
			t.Error("losing the race is no failure")
		}
		w.finished(project)
		if n := one.render.renders + two.render.renders; n != 1 {
			t.Errorf("rendered %d times", n)
		}
	})
}
