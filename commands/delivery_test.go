package commands_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore/memory"
)

func (w *world) startDelivery(worker string, dead int) (deliveries.DeliveryClaim, error) {
	return w.startDeliveryAfter(worker, dead, domain.Unexplained)
}

func (w *world) startDeliveryAfter(worker string, dead int, death domain.Death) (deliveries.DeliveryClaim, error) {
	h := deliveries.NewStartDeliveryHandler(w.log, w.clock)
	return h.Handle(w.t.Context(), deliveries.StartDelivery{Project: project, Worker: worker, Dead: dead, Death: death})
}

func (w *world) record(worker string, try movie.DeliveryAttempted) error {
	h := deliveries.NewRecordDeliveryHandler(w.log, w.clock)
	_, err := h.Handle(w.t.Context(), deliveries.RecordDelivery{Project: project, Worker: worker, Attempt: try})
	return err
}

func (w *world) releaseDelivery(run int, worker string) error {
	h := deliveries.NewReleaseDeliveryHandler(w.log, w.clock)
	_, err := h.Handle(w.t.Context(), deliveries.ReleaseDelivery{Project: project, Run: run, Worker: worker})
	return err
}

func (w *world) finishDelivery(run int, worker string) error {
	h := deliveries.NewFinishDeliveryHandler(w.log, w.clock)
	_, err := h.Handle(w.t.Context(), deliveries.FinishDelivery{Project: project, Run: run, Worker: worker})
	return err
}

// try returns one try at a destination: if final, a successful one, otherwise a failed one.
func try(run, index, number int, final bool) movie.DeliveryAttempted {
	e := movie.DeliveryAttempted{Run: run, Index: index, Try: number, Final: final, Type: "webhook", Status: movie.DeliveryError,
		HTTPStatus: 503, Message: "https://example.com answered 503", DurationMS: 1500}
	if final {
		e.Status, e.HTTPStatus, e.Message = movie.DeliveryOK, 200, ""
	}
	return e
}

// TestDelivery goes through a delivery whose claim is released once and whose worker dies once: each run continues where the
// last one ended.
func TestDelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.startDelivery("d1", 0)
	requireNothing(t, err)
	success := w.done()
	_, err = w.startDelivery("d1", 0)
	w.must(err)
	_, err = w.startDelivery("d2", 0)
	requireNothing(t, err)
	w.wait(time.Second)
	w.must(w.record("d1", try(1, 0, 1, false)))
	w.must(w.record("d1", try(1, 0, 1, false)))
	w.must(w.releaseDelivery(1, "d1"))
	w.must(w.releaseDelivery(1, "d1"))
	requireNothing(t, w.record("d1", try(1, 0, 2, true)))
	requireNothing(t, w.finishDelivery(1, "d1"))
	_, err = w.startDelivery("d2", 0)
	w.must(err)
	w.must(w.record("d2", try(2, 0, 2, true)))

	claim, err := w.startDelivery("d3", 2)
	w.must(err)
	last := try(2, 0, 2, true)
	last.At = t0.Add(time.Second)
	end, err := w.log.Last(t.Context(), movieStream)
	w.must(err)
	want := deliveries.DeliveryClaim{
		Account: alice, Run: 3, DocumentHash: claim.DocumentHash,
		Destinations: []movie.DestinationState{{Tries: 2, Final: true, Last: last}, {Cut: 1}},
		Order:        []int{1},
		Spent:        time.Second,
		Success:      true, ClosedAt: t0, RequestedAt: t0, Plan: success.Plan, File: success.File,
		Position: end.Position,
	}
	if diff := cmp.Diff(want, claim, cmpopts.IgnoreFields(deliveries.DeliveryClaim{}, "Known")); diff != "" || len(claim.DocumentHash) != 64 {
		t.Errorf("claim (-want +got):\n%s", diff)
	}
	if err := w.finishDelivery(3, "d3"); err == nil || errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("finished without the second destination: %v", err)
	}
	w.must(w.record("d3", try(3, 1, 1, true)))
	w.must(w.finishDelivery(3, "d3"))
	w.must(w.finishDelivery(3, "d3"))
	requireNothing(t, w.releaseDelivery(3, "d3"))
	_, err = w.startDelivery("d4", 3)
	requireNothing(t, err)
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished",
		"DeliveryStarted", "DeliveryAttempted", "DeliveryReleased", "DeliveryStarted", "DeliveryAttempted",
		"DeliveryStarted", "DeliveryAttempted", "DeliveryFinished")
}

// TestRecordDelivery_known: RecordDelivery with the movie of the claim does not read the stream. When another event was
// appended meanwhile, it reads that event, and records nothing if the claim is lost.
func TestRecordDelivery_known(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done()
	claim, err := w.startDelivery("d1", 0)
	w.must(err)
	record := func(index, number int, final bool) error {
		h := deliveries.NewRecordDeliveryHandler(w.log, w.clock)
		_, err := h.Handle(t.Context(), deliveries.RecordDelivery{Project: project, Worker: "d1", Attempt: try(1, index, number, final), Known: claim.Known})
		return err
	}
	unread := errors.New("read again")
	w.store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return unread }})
	w.must(record(0, 1, false))
	w.must(record(0, 1, false))
	w.must(record(0, 2, false))
	w.store.Inject(memory.Faults{})

	_, err = w.deleteFile(alice)
	w.must(err)
	w.must(record(0, 3, true))
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished", "DeliveryStarted", "DeliveryAttempted", "DeliveryAttempted",
		"FileDeleted", "DeliveryAttempted")
	_, err = w.startDelivery("d2", 1)
	w.must(err)
	requireNothing(t, record(1, 1, true))
}

// TestStartDelivery_facts: a failed movie is delivered too. The claim of a movie whose file was deleted has FileGone. A
// movie that has timed out but is not closed is not delivered yet.
func TestStartDelivery_facts(t *testing.T) {
	t.Parallel()
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		w.must(w.finish(commands.FinishRender{Attempt: 1, Worker: "w1", Message: "Scene #1: broken"}))
		claim, err := w.startDelivery("d1", 0)
		w.must(err)
		if claim.Success || claim.Message != "Scene #1: broken" || claim.File != nil || !claim.FileGone {
			t.Errorf("claim %+v", claim)
		}
	})
	t.Run("deleted before it was told", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.done()
		_, err := w.deleteFile(alice)
		w.must(err)
		claim, err := w.startDelivery("d1", 0)
		w.must(err)
		if !claim.Success || claim.File == nil || !claim.FileGone {
			t.Errorf("claim %+v", claim)
		}
	})
	t.Run("timed out, not closed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		w.wait(timeout)
		w.must(w.timeOut())
		_, err = w.startDelivery("d1", 0)
		requireNothing(t, err)
	})
}

// TestStartDelivery_crashes: each crashed run is counted for the destination that it served; the next run serves another one
// first. A destination is given up after three crashed runs. Decision 56.
func TestStartDelivery_crashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done()
	for dead := range 6 {
		claim, err := w.startDeliveryAfter(fmt.Sprintf("d%d", dead+1), dead, domain.Crashed)
		w.must(err)
		want := [][]int{{0, 1}, {1, 0}, {0, 1}, {1, 0}, {0, 1}, {1}}[dead]
		if diff := cmp.Diff(want, claim.Order); diff != "" {
			t.Errorf("the order of run %d (-want +got):\n%s", dead+1, diff)
		}
	}
	_, err := w.startDeliveryAfter("d7", 6, domain.Crashed)
	requireNothing(t, err)
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished",
		"DeliveryStarted", "DeliveryStarted", "DeliveryStarted", "DeliveryStarted", "DeliveryStarted",
		"DeliveryStarted", "DeliveryAttempted", "DeliveryStarted", "DeliveryAttempted", "DeliveryFinished")
	requireNothing(t, w.record("d6", try(6, 0, 1, true)))
}
