package processors_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
)

// A render whose slot is asked back is stopped and handed back, as often as that happens, and done later.
func TestRender_GivesWay(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		for range 4 { // more often than it may crash
			ended := make(chan error, 1)
			pr.render.step = func(ctx context.Context, _ commands.RenderJob, _ int) error {
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return domain.Errorf(domain.Invalid, "asset", "Scene #1: the download ended early")
			}
			ctx, stop := context.WithCancelCause(t.Context())
			done := pr.queue.sendUnder(ctx, render(project, 0))
			synctest.Wait()
			asked := time.Now()
			stop(commands.ErrGiveWay)
			if cause := <-ended; !errors.Is(cause, commands.ErrGiveWay) {
				t.Fatalf("the render ended by %v", cause)
			}
			if ok := <-done; !ok {
				t.Error("giving way is no failure")
			}
			if took := time.Since(asked); took > time.Second {
				t.Errorf("the slot was free after %s", took)
			}
		}
		pr.render.step = nil
		other := w.submit()
		pr.do(render(other, 0))
		pr.do(render(project, 0))
		if end := w.finished(project); !end.Success || end.Attempt != 5 {
			t.Errorf("outcome %+v", end)
		}
		want := "MovieSubmitted " + strings.Repeat("RenderStarted RenderReleased ", 4) + "RenderStarted RenderFinished"
		if got := w.types(project); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if row := w.board.row("render/" + string(project)); row.Beat != 0 {
			t.Errorf("a presence row stays: %+v", row)
		}
		if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) != 2 {
			t.Errorf("files %v", keys)
		}
	})
}

// A render goes on when its message ends for any other reason: a drain waits for it.
func TestRender_DoesNotEndWithItsMessage(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(ctx context.Context, _ commands.RenderJob, _ int) error {
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return ctx.Err()
		}
		ctx, stop := context.WithCancel(t.Context())
		done := pr.queue.sendUnder(ctx, render(project, 0))
		synctest.Wait()
		stop()
		if ok := <-done; !ok {
			t.Error("it failed")
		}
		if got, want := w.types(project), "MovieSubmitted RenderStarted RenderFinished"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A render that is asked to share its slot goes on until it can, and is handed back then; what it has stored for the attempt goes.
func TestRender_Shares(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		for range 4 { // more often than it may crash
			pr.render.step = func(ctx context.Context, job commands.RenderJob, _ int) error {
				<-job.Share
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return commands.ErrGiveWay
			}
			ctx, stop := context.WithCancelCause(t.Context())
			done := pr.queue.sendUnder(ctx, render(project, 0))
			synctest.Wait()
			stop(commands.ErrShare)
			if ok := <-done; !ok {
				t.Error("sharing is no failure")
			}
		}
		pr.render.step = nil
		pr.do(render(project, 0))
		if end := w.finished(project); !end.Success || end.Attempt != 5 {
			t.Errorf("outcome %+v", end)
		}
		want := "MovieSubmitted " + strings.Repeat("RenderStarted RenderReleased ", 4) + "RenderStarted RenderFinished"
		if got := w.types(project); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
