package processors_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/projections"
)

// suspect is a render of a movie that is handed out alone, after a crash.
func suspect(project domain.ProjectID, dead int) projections.Task {
	task := render(project, dead)
	task.Death, task.Apart = domain.Crashed, true
	return task
}

// TestRender_OutOfMemory: a movie whose program the kernel ends for want of memory is handed back, and ends when that happens again while it
// is alone. Decision 56.
func TestRender_OutOfMemory(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		pr.render.step = func(context.Context, commands.RenderJob, int) error {
			return fmt.Errorf("%w: ffmpeg ended with -1", commands.ErrOutOfMemory)
		}
		project := w.submit()
		pr.do(render(project, 0))
		alone := render(project, 0)
		alone.Apart = true
		pr.do(alone)
		if end := w.finished(project); end.Success || !strings.Contains(end.Message, "more memory than there is") || end.Attempt != 2 || pr.render.renders != 2 {
			t.Errorf("%d renders, outcome %+v", pr.render.renders, end)
		}
	})
}

func TestRender_ThreeCrashesEndIt(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		project := w.submit()
		for attempt := range 3 {
			pr := w.start("crashing")
			pr.render.step = untilCancelled
			pr.send(suspect(project, attempt))
			synctest.Wait()
			pr.link.crash(0, false)
			close(pr.link.crashed)
			defer pr.drain(0)
		}
		pr := w.start("last")
		defer pr.drain(time.Minute)
		pr.do(suspect(project, 3))
		if end := w.finished(project); end.Success || end.Message == "" || pr.render.renders != 0 {
			t.Errorf("outcome %+v", end)
		}
	})
}

func TestRender_APanicIsOnlyAFailure(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(context.Context, commands.RenderJob, int) error { panic("a bug") }
		if ok := <-pr.send(render(project, 0)); ok {
			t.Error("a panic was taken for success")
		}
		if row := w.troubles.rows["render/"+string(project)]; row.Failures != 1 || row.Message != "panic: a bug" {
			t.Errorf("trouble %+v", row)
		}
		pr.render.step = nil
		pr.do(render(project, 1))
		w.finished(project)
	})
}

// sleeping is a render step that takes so long, unless it is stopped.
func sleeping(d time.Duration) func(context.Context, commands.RenderJob, int) error {
	return func(ctx context.Context, _ commands.RenderJob, _ int) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestRender_noRoomForTheFile: a movie whose file the account has no room for ends with words for it. It costs nothing, and nothing of it stays.
// Decision 71.
func TestRender_noRoomForTheFile(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		w.files.Fail(func(call, key string) error {
			if call == "put" && strings.HasSuffix(key, ".mp4") {
				return storage.RendersFull("1 TB")
			}
			return nil
		})
		pr.do(render(project, 0))
		end := w.finished(project)
		if end.Success || !strings.Contains(end.Message, "come to 1 TB") || end.Credits != 0 || end.Plan == nil || pr.render.renders != 1 {
			t.Errorf("outcome %+v after %d renders", end, pr.render.renders)
		}
		if keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project)); len(keys) != 0 {
			t.Errorf("%v stays", keys)
		}
	})
}
