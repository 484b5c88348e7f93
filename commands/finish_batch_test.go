package commands_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

func (w *world) finishBatch(worker string, cmd commands.FinishBatch) (commands.FinishedBatch, error) {
	cmd.Worker = worker
	return commands.NewFinishBatchHandler(w.log, w.ledgers, w.clock).Handle(w.t.Context(), cmd)
}

// endRow cancels the movie of a row and settles it.
func (w *world) endRow(row int) {
	w.t.Helper()
	p := batch.Project(batchID, row)
	_, err := commands.NewCancelMovieHandler(w.log, w.clock).Handle(w.t.Context(), commands.CancelMovie{Account: alice, Project: p})
	w.must(err)
	w.must(w.settleHandler().Handle(w.t.Context(), commands.SettleMovie{Account: alice, Project: p}))
}

// TestFinishBatch: a batch is finished once, when its last movie is settled. Of several calls at the same time one finishes
// it; the others get ErrNothingToDo.
func TestFinishBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	_, err := w.requestBatch(w.order(w.save("", card), guests(3, map[int]string{2: "x"})), "")
	w.must(err)
	last := commands.FinishBatch{Project: batch.Project(batchID, 3)}
	for _, early := range []func(){
		func() {},
		func() { w.must(w.completeBatch()) },
		func() { w.endRow(1) },
	} {
		early()
		_, err := w.finishBatch("w", commands.FinishBatch{Batch: batchID})
		requireNothing(t, err)
		_, err = w.finishBatch("w", last)
		requireNothing(t, err)
	}
	w.endRow(3)
	var winners atomic.Int32
	var all sync.WaitGroup
	for _, worker := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			done, err := w.finishBatch(worker, last)
			if err != nil {
				requireNothing(t, err)
				return
			}
			winners.Add(1)
			if done.ID != batchID || done.Account != alice || done.Movies != 2 || done.Invalid != 1 || done.Cancelled || done.At.IsZero() || done.Position.Commit == 0 {
				t.Errorf("%+v", done)
			}
		})
	}
	all.Wait()
	if winners.Load() != 1 {
		t.Errorf("%d have finished it", winners.Load())
	}
	w.wantEvents(batch.Stream(batchID), "BatchRequested", "BatchAccepted", "BatchSubmitted", "BatchFinished")
	requireNothing(t, w.completeBatch())
}

// TestFinishBatch_cancelled: a cancelled batch is finished when it is wound down, although its rows have no movies.
func TestFinishBatch_cancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	_, err := w.requestBatch(w.order(w.save("", card), guests(3, nil)), "")
	w.must(err)
	w.must(w.cancelBatch())
	_, err = w.finishBatch("w", commands.FinishBatch{Batch: batchID})
	requireNothing(t, err)
	w.must(w.completeBatch())
	done, err := w.finishBatch("w", commands.FinishBatch{Batch: batchID})
	if err != nil || !done.Cancelled {
		t.Errorf("%+v, %v", done, err)
	}
	_, err = w.finishBatch("w", commands.FinishBatch{Batch: batchID})
	requireNothing(t, err)
}

// TestFinishBatch_reads: FinishBatch is called after each of many movies, but reads the stream of the batch, which has all
// rows, for few of them.
func TestFinishBatch_reads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const rows = 40
	w.grant(alice, 100*rows)
	_, err := w.requestBatch(w.order(w.save("", card), guests(rows, nil)), "")
	w.must(err)
	w.must(w.completeBatch())
	count := &counting{Store: w.store}
	own := ledgers.New(eventstore.NewLog(count, eventstore.NewCodec()), w.clock)
	defer own.Close()
	handler := commands.NewFinishBatchHandler(eventstore.NewLog(count, eventstore.NewCodec()), own, w.clock)
	read := 0
	for row := 1; row <= rows; row++ {
		w.endRow(row)
		count.reads = nil
		done, err := handler.Handle(t.Context(), commands.FinishBatch{Project: batch.Project(batchID, row), Worker: "w"})
		if row < rows {
			requireNothing(t, err)
		} else if err != nil || done.Movies != rows {
			t.Fatalf("%+v, %v", done, err)
		}
		if slices.Contains(count.reads, batch.Stream(batchID)) {
			read++
		}
	}
	if read > 2 {
		t.Errorf("the stream of the batch is read after %d of %d movies", read, rows)
	}
}

// TestFinishBatch_none: for a movie that belongs to no batch, there is nothing to do.
func TestFinishBatch_none(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	for _, p := range []domain.ProjectID{project, "unknown000000000"} {
		_, err := w.finishBatch("w", commands.FinishBatch{Project: p})
		requireNothing(t, err)
	}
}

// TestCancelBatch_whileHolding: credits that are held after the batch was cancelled are given back.
func TestCancelBatch_whileHolding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	order := w.order(w.save("", card), guests(6, nil))
	other := &world{t: t, store: w.store, log: w.log, files: w.files, ledgers: ledgers.New(w.log, w.clock), now: w.now}
	t.Cleanup(other.ledgers.Close)
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, _ string, events []eventstore.Proposed) error {
		if events[0].Type == "CreditsHeld" {
			requireNothing(t, errors.Join(other.cancelBatch(), other.completeBatch()))
		}
		return nil
	}})
	_, err := w.requestBatch(order, "")
	w.must(err)
	w.store.Inject(memory.Faults{})
	w.wantEvents(batch.Stream(batchID), "BatchRequested", "BatchCancelled")
	w.wantReleased(6)
}

// wantReleased settles the movies of the rows, and checks that no credits are held after that.
func (w *world) wantReleased(rows int) {
	w.t.Helper()
	for row := 1; row <= rows; row++ {
		w.must(w.settleHandler().Handle(w.t.Context(), commands.SettleMovie{Account: alice, Project: batch.Project(batchID, row)}))
	}
	w.wantCredits(0, 0)
}

// TestCompleteBatch_lateHold: the process that holds the credits of a batch ends after the append, when the batch was
// cancelled or refused, and wound down, by another process meanwhile. The work on the batch stays open until no such hold
// can come any more, and gives the credits back.
func TestCompleteBatch_lateHold(t *testing.T) {
	t.Parallel()
	refuse := func(w *world) error {
		_, err := w.log.Append(w.t.Context(), batch.Stream(batchID), 0, eventstore.Meta{Account: alice, Time: w.clock()},
			batch.Refused{Code: "insufficient_credits", Message: "Insufficient credits", At: w.clock()})
		return err
	}
	for name, end := range map[string]func(*world) error{"cancelled": (*world).cancelBatch, "refused": refuse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 100)
			order := w.order(w.save("", card), guests(6, nil))
			other := &world{t: t, store: w.store, log: w.log, files: w.files, ledgers: ledgers.New(w.log, w.clock), now: w.now}
			t.Cleanup(other.ledgers.Close)
			held := false
			w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, _ string, events []eventstore.Proposed) error {
				switch {
				case held:
					return errKilled
				case events[0].Type != "CreditsHeld":
					return nil
				}
				requireNothing(t, errors.Join(end(other), other.completeBatch()))
				held = true
				return nil
			}})
			if _, err := w.requestBatch(order, ""); err == nil {
				t.Fatal("it lived")
			}
			w.restart()
			if totals, err := w.ledgers.State(t.Context(), alice); err != nil || totals.Held == 0 {
				t.Fatalf("%+v, %v", totals, err)
			}
			w.wait(2 * time.Minute)
			w.must(w.completeBatch())
			w.wantReleased(6)
			requireNothing(t, w.completeBatch())
		})
	}
}
