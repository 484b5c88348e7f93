package commands_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

const document = "movies/alice/project000000001.json"

func (w *world) release(attempt int, worker string) error {
	h := commands.NewReleaseRenderHandler(w.log, w.clock)
	_, err := h.Handle(w.t.Context(), commands.ReleaseRender{Project: project, Attempt: attempt, Worker: worker})
	return err
}

func TestStartRender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.start("w1", 0)
	requireNothing(t, err)
	w.submitted()
	w.wait(timeout)
	claim, err := w.start("w1", 0)
	w.must(err)
	end, err := w.log.Last(t.Context(), movieStream)
	w.must(err)
	submitted := movie.New(project)
	_, err = w.log.Fold(t.Context(), movieStream, submitted.Apply)
	w.must(err)
	s, _ := submitted.Submitted()
	want := commands.RenderClaim{
		Account: alice, Attempt: 1, DocumentHash: s.DocumentHash, FirstStarted: t0.Add(timeout), Held: 7, Until: t0.Add(2 * timeout), Position: end.Position,
	}
	if diff := cmp.Diff(want, claim); diff != "" {
		t.Errorf("claim (-want +got):\n%s", diff)
	}
	_, err = w.start("w2", 0)
	requireNothing(t, err)
	w.wait(timeout - 1)
	claim, err = w.start("w2", 1)
	w.must(err)
	if claim.Attempt != 2 || !claim.FirstStarted.Equal(t0.Add(timeout)) {
		t.Errorf("second claim %+v", claim)
	}
	requireNothing(t, w.release(1, "w1"))
	w.must(w.release(2, "w2"))
	w.must(w.release(2, "w2"))
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderStarted", "RenderReleased")
}

// TestStartRender_race lets many workers claim a movie at once: one gets the claim, although answers of the store are lost.
func TestStartRender_race(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submitted()
		w.store.LoseAfter(3)
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				_, err := w.start(fmt.Sprintf("w%d", i), 0)
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, commands.ErrNothingToDo):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("%d won", won.Load())
		}
		w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted")
		w.ledgers.Close()
	})
}

// TestStartRender_closes: a movie that has crashed three workers, or that is out of time while no worker renders it, is
// closed instead of claimed. Design §6.
func TestStartRender_closes(t *testing.T) {
	t.Parallel()
	t.Run("three crashed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		start := func(dead int) error {
			_, err := commands.NewStartRenderHandler(w.log, w.clock, timeout).Handle(t.Context(), commands.StartRender{
				Project: project, Worker: fmt.Sprintf("w%d", dead+1), Dead: dead, Death: domain.Crashed, Alone: true,
			})
			return err
		}
		for dead := range 3 {
			w.must(start(dead))
		}
		requireNothing(t, start(3))
		w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderStarted", "RenderStarted", "RenderFinished")
		w.must(w.settle())
		w.wantCredits(0, 0)
	})
	t.Run("out of time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		w.wait(timeout)
		_, err = w.start("w2", 1)
		requireNothing(t, err)
		w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderTimedOut", "RenderFinished")
	})
}

func TestFinishRender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	_, err := w.start("w1", 0)
	w.must(err)
	success := w.success(1, "w1")
	for range 2 { // the second call changes nothing
		w.must(w.finish(success))
		w.wantFiles(document, success.File.Thumbnail, success.File.Key)
	}
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished")
	w.must(w.settle())
	w.wantCredits(7, 0)
}

// TestFinishRender_discards: the files of an attempt are removed exactly when the log will not name them.
func TestFinishRender_discards(t *testing.T) {
	t.Parallel()
	t.Run("lost claim", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		_, err = w.start("w2", 1)
		w.must(err)
		winner, loser := w.success(2, "w2"), w.success(1, "w1")
		w.must(w.finish(winner))
		requireNothing(t, w.finish(loser))
		w.wantFiles(document, winner.File.Thumbnail, winner.File.Key)
	})
	t.Run("late success after DELETE", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		w.wait(timeout)
		w.must(w.timeOut())
		_, err = w.deleteFile(alice)
		w.must(err)
		w.must(w.finish(w.success(1, "w1")))
		w.wantFiles(document)
		finished := w.last(movieStream).(movie.RenderFinished)
		if !finished.Success || finished.Credits != 0 || finished.File.Key != "" || finished.File.Token != "" {
			t.Errorf("event %+v, file %+v", finished, finished.File)
		}
		w.must(w.settle())
		w.wantCredits(0, 0)
	})
	t.Run("outcome unknown", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		_, err := w.start("w1", 0)
		w.must(err)
		success := w.success(1, "w1")
		w.store.Inject(memory.Faults{AfterAppendFunc: func(context.Context, string, []eventstore.Proposed) error { return errKilled }})
		if err := w.finish(success); !errors.Is(err, errKilled) {
			t.Fatalf("error %v", err)
		}
		w.wantFiles(document, success.File.Thumbnail, success.File.Key)
		w.restart()
		w.must(w.finish(success))
		w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished")
	})
	t.Run("files cannot be removed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.submitted()
		loser := w.success(1, "w1")
		w.files.Fail(func(string, string) error { return errKilled })
		if err := w.finish(loser); !errors.Is(err, errKilled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestTimeOutRender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	w.wait(10 * timeout)
	requireNothing(t, w.timeOut())
	_, err := w.start("w1", 0)
	w.must(err)
	w.wait(timeout - 1)
	requireNothing(t, w.timeOut())
	w.wait(1)
	w.must(w.timeOut())
	requireNothing(t, w.timeOut())
	w.must(w.settle())
	w.wantCredits(0, 0)
	w.wait(timeout)
	w.must(w.timeOut())
	requireNothing(t, w.timeOut())
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderTimedOut", "RenderFinished")
	loser := w.success(1, "w1")
	requireNothing(t, w.finish(loser))
	w.wantFiles(document)
}

func (w *world) deleteFile(account domain.AccountID) (commands.Deletion, error) {
	h := commands.NewDeleteFileHandler(w.log, w.files, w.clock)
	return h.Handle(w.t.Context(), commands.DeleteFile{Account: account, Project: project})
}

// done submits a movie and renders it successfully.
func (w *world) done() commands.FinishRender {
	w.t.Helper()
	w.submitted()
	_, err := w.start("w1", 0)
	w.must(err)
	success := w.success(1, "w1")
	w.must(w.finish(success))
	return success
}

// TestDeleteFile goes through the refusals and the success of a deletion. Spec: DELETE /movies; Errors, DELETE /movies.
func TestDeleteFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unknown := domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", project)
	_, err := w.deleteFile(alice)
	requireRefusal(t, err, unknown)
	w.submitted()
	_, err = w.deleteFile(alice)
	requireRefusal(t, err, domain.Errorf(domain.Conflict, "movie_still_rendering",
		"Movie %s is still rendering. Wait until it finishes before deleting it.", project))
	_, err = w.start("w1", 0)
	w.must(err)
	w.success(7, "nobody") // files that a lost attempt has left
	w.must(w.finish(w.success(1, "w1")))
	_, err = w.deleteFile(mallory)
	requireRefusal(t, err, unknown)

	w.wait(timeout)
	first, err := w.deleteFile(alice)
	w.must(err)
	w.wait(timeout)
	second, err := w.deleteFile(alice)
	w.must(err)
	end, err := w.log.Last(t.Context(), movieStream)
	w.must(err)
	want := commands.Deletion{At: t0.Add(timeout), Position: end.Position}
	if diff := cmp.Diff([]commands.Deletion{want, want}, []commands.Deletion{first, second}); diff != "" {
		t.Errorf("deletions (-want +got):\n%s", diff)
	}
	w.wantFiles(document)
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished", "FileDeleted")
}

// TestDeleteFile_storageFails: when the files cannot be removed, no deletion is recorded, and a retry succeeds.
func TestDeleteFile_storageFails(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"list", "delete"} {
		w := newWorld(t)
		w.done()
		w.files.Fail(func(got, _ string) error {
			if got == call {
				return errors.New("disk on fire")
			}
			return nil
		})
		_, err := w.deleteFile(alice)
		requireRefusal(t, err, domain.Errorf(domain.Internal, "movie_files_not_deleted", "Error deleting the movie files. Please try again."))
		w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished")
		w.files.Fail(nil)
		_, err = w.deleteFile(alice)
		w.must(err)
		w.wantFiles(document)
	}
}

// TestDeleteFile_lateSuccess lets a timed-out render succeed between the removal of the files and FileDeleted: its file is
// removed too.
func TestDeleteFile_lateSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	_, err := w.start("w1", 0)
	w.must(err)
	w.wait(timeout)
	w.must(w.timeOut())
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, _ string, events []eventstore.Proposed) error {
		if events[0].Type == "FileDeleted" {
			w.store.Inject(memory.Faults{})
			w.must(w.finish(w.success(1, "w1")))
		}
		return nil
	}})
	_, err = w.deleteFile(alice)
	w.must(err)
	w.wantFiles(document)
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderTimedOut", "RenderFinished", "FileDeleted")
}

// TestDeleteFile_atOnce: two deletions at the same time both succeed, and return the time of the one that is recorded.
func TestDeleteFile_atOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done()
	var first commands.Deletion
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
		w.store.Inject(memory.Faults{})
		w.wait(timeout)
		var err error
		first, err = w.deleteFile(alice)
		return err
	}})
	second, err := w.deleteFile(alice)
	w.must(err)
	if diff := cmp.Diff(first, second); diff != "" || !first.At.Equal(t0.Add(timeout)) {
		t.Errorf("(-first +second):\n%s", diff)
	}
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished", "FileDeleted")
}
