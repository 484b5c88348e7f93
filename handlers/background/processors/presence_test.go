package processors_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/projections"
)

func TestRender_ShowsPresenceEveryTwoSeconds(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		pr.render.step = func(ctx context.Context, job commands.RenderJob, _ int) error {
			job.Progress(75)
			time.Sleep(10*time.Second + time.Millisecond)
			return nil
		}
		done := pr.send(render(project, 0))
		work := "render/" + string(project)
		synctest.Wait()
		for n := range int64(5) {
			time.Sleep(2 * time.Second)
			synctest.Wait()
			want := projections.Presence{Work: work, Attempt: 1, Worker: "one", Percent: 75, Beat: n + 2}
			if diff := cmp.Diff(want, w.board.row(work)); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		}
		<-done
	})
}

// TestRender_ShowsProgressAsItMoves: a short render is seen to grow too, but the board is not flooded.
func TestRender_ShowsProgressAsItMoves(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit()
		work := "render/" + string(project)
		pr.render.step = func(ctx context.Context, job commands.RenderJob, _ int) error {
			for i := range 100 { // one second
				job.Progress(float64(i))
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		}
		done := pr.send(render(project, 0))
		var seen []float64
		for range 3 {
			time.Sleep(260 * time.Millisecond)
			synctest.Wait()
			seen = append(seen, w.board.row(work).Percent)
		}
		if !slices.IsSorted(seen) || seen[0] < 20 || seen[2] < 70 {
			t.Errorf("progress shown at quarters of a render: %v", seen)
		}
		if beats := w.board.row(work).Beat; beats > 5 {
			t.Errorf("the row was written %d times in 780 ms", beats)
		}
		<-done
	})
}

// A board that does not answer is logged, since other workers may take the task; the end of a task while it waits is not.
func TestRender_ABoardThatHangs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		takes time.Duration
		want  int
	}{
		"for longer than the time limit": {5 * time.Second, 1},
		"when the task ends":             {time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit()
				w.board.hangs = true
				pr.render.step = func(context.Context, commands.RenderJob, int) error {
					<-time.After(tt.takes)
					return nil
				}
				pr.do(render(project, 0))
				warned := 0
				for _, line := range pr.lines.AllEntries() {
					if strings.Contains(line.Message, "heartbeat of a running task not written") {
						warned++
					}
				}
				if warned != tt.want {
					t.Errorf("%d warnings, want %d", warned, tt.want)
				}
			})
		})
	}
}
