package processors_test

import (
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain/blobkey"
	"moviola/projections"
)

// TestCancel_StopsTheRender: the renderer stops at once and leaves nothing behind, the hold is given back, the webhook says
// why. Decisions 19 and 32.
func TestCancel_StopsTheRender(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		pr.render.step = untilCancelled
		project := w.submit(webhook("https://a.example"))
		rendering := pr.send(render(project, 0))
		time.Sleep(time.Minute)
		synctest.Wait()
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.cancel.Handle(t.Context(), commands.CancelMovie{Account: alice, Project: project})))
		})
		select {
		case ok := <-rendering:
			if !ok {
				t.Error("the render failed")
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the render goes on")
		}
		pr.do(task(projections.WorkSettle, project, 0))
		pr.do(deliver(project, 0))
		if got := w.types(project); got != "MovieSubmitted RenderStarted MovieCancelled DeliveryStarted DeliveryAttempted DeliveryFinished" {
			t.Errorf("events %s", got)
		}
		if totals := w.ledger(); totals.Held != 0 || totals.Charged != 0 {
			t.Errorf("credits %+v", totals)
		}
		if keys, err := w.files.List(t.Context(), blobkey.RendersOf(project)); err != nil || len(keys) > 0 {
			t.Errorf("left %v, %v", keys, err)
		}
		payload := w.hooks.calls[0].payload
		if payload["success"] != false || payload["error"] != "Movie was cancelled" {
			t.Errorf("payload %v", payload)
		}
	})
}

// TestRedeliver serves only the destination that was asked for, with all its tries, in the words of the first time.
func TestRedeliver(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"), webhook("https://b.example"))
		w.hooks.answers = answering(200, 500, 500, 500, 500, 200)
		pr.do(render(project, 0))
		pr.do(deliver(project, 0))
		one := 1
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.again.Handle(t.Context(), deliveries.RequestRedelivery{Account: alice, Project: project, Index: &one})))
		})
		pr.do(deliver(project, 0))
		pr.do(deliver(project, 0)) // a message is only a hint
		want := "0.1 ok!, 1.1 error, 1.2 error, 1.3 error!, 1.1 error, 1.2 ok!"
		if got := outcomes(w.tries(project)); got != want {
			t.Errorf("tries %s, want %s", got, want)
		}
		first, last := w.hooks.calls[1], w.hooks.calls[5]
		if last.endpoint != "https://b.example" || last.payload["url"] != first.payload["url"] || last.payload["project"] != string(project) {
			t.Errorf("calls %+v and %+v", first, last)
		}
		// Decision 107: receivers de-duplicate by the id of the message, so it names the event and not the try.
		if last.message != first.message || last.message == w.hooks.calls[0].message {
			t.Errorf("messages %s, %s and, to the other destination, %s", first.message, last.message, w.hooks.calls[0].message)
		}
		w.commands(w.log(), func(c *commandSet) {
			must(t, second(c.again.Handle(t.Context(), deliveries.RequestRedelivery{Account: alice, Project: project})))
		})
		pr.do(deliver(project, 0))
		if len(w.hooks.calls) != 8 {
			t.Errorf("%d calls", len(w.hooks.calls))
		}
	})
}
