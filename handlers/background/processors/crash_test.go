package processors_test

import (
	"fmt"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/projections"
)

// TestCrashes crashes a process before and after each of its appends, from the claim to the last result, lets another process
// take over, and looks at what is left: one outcome, one charge, one result per destination, and no webhook
// more than the crash explains.
func TestCrashes(t *testing.T) {
	t.Parallel()
	// RenderStarted, RenderFinished, CreditsHoldChanged, CreditsCharged, DeliveryStarted, two tries, DeliveryFinished.
	const appends = 7
	for n := 1; n <= appends; n++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d, stored %v", n, after), func(t *testing.T) {
				t.Parallel()
				inWorld(t, func(_ *testing.T, w *world) { crashAndTakeOver(w, n, after) })
			})
		}
	}
}

func crashAndTakeOver(w *world, n int, after bool) {
	project := w.submit(webhook("https://a.example"), webhook("https://b.example"))
	one := w.start("one")
	one.render.seconds = 6 // two more than were held: the hold is changed
	crashed := one.link.crash(n, after)
	didCrash := false
	for _, kind := range []string{projections.WorkRender, projections.WorkSettle, projections.WorkDeliver} {
		select {
		case <-one.send(task(kind, project, 0)):
		case <-crashed:
			didCrash = true
		}
		if didCrash {
			break
		}
	}
	if !didCrash {
		w.t.Fatalf("there is no append %d", n)
	}
	defer one.drain(0)

	two := w.start("two")
	defer two.drain(time.Minute)
	two.render.seconds = 6
	for range 2 { // twice, because any message may come twice
		two.do(render(project, w.movie(project).Claim().Number))
		two.do(task(projections.WorkSettle, project, 0))
		two.do(deliver(project, w.movie(project).DeliveryClaim().Number))
	}
	checkEnd(w, project)
}

// checkEnd looks at a movie that was delivered in spite of at most one crash.
func checkEnd(w *world, project domain.ProjectID) {
	w.t.Helper()
	end := w.finished(project)
	if !end.Success || end.Credits != 6 {
		w.t.Errorf("outcome %+v", end)
	}
	if w.files.Text(end.File.Key) == "" || w.files.Text(end.File.Thumbnail) == "" {
		w.t.Errorf("the files of the outcome are not there: %+v", end.File)
	}
	if l := w.ledger(); l.Charged != 6 || l.Held != 0 {
		w.t.Errorf("ledger %+v", l)
	}
	final := map[int]int{}
	for _, try := range w.tries(project) {
		if try.Final {
			final[try.Index]++
		}
		if try.Status != movie.DeliveryOK {
			w.t.Errorf("result %+v", try)
		}
	}
	if final[0] != 1 || final[1] != 1 {
		w.t.Errorf("final results %v", final)
	}
	if calls := len(w.hooks.calls); calls < 2 || calls > 3 {
		w.t.Errorf("%d webhooks", calls)
	}
}

// TestLostAnswers hides the answer of every append once: the append is repeated and is the same one.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		pr.render.seconds = 6
		project := w.submit(webhook("https://a.example"), webhook("https://b.example"))
		for _, kind := range []string{projections.WorkRender, projections.WorkSettle, projections.WorkDeliver} {
			w.store.LoseAfter(2)
			pr.do(task(kind, project, 0))
		}
		checkEnd(w, project)
		if len(w.hooks.calls) != 2 {
			t.Errorf("%d webhooks without a crash", len(w.hooks.calls))
		}
		keys, _ := w.files.List(t.Context(), blobkey.RendersOf(project))
		if len(keys) != 2 {
			t.Errorf("files %v", keys)
		}
	})
}
