package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
)

func (w *world) cancel(by domain.AccountID) (commands.Cancellation, error) {
	return commands.NewCancelMovieHandler(w.log, w.clock).Handle(w.t.Context(), commands.CancelMovie{Account: by, Project: project})
}

// TestCancelMovie: the whole hold of a cancelled movie is released, its render loses the claim, and its destinations are
// served. Decisions 19 and 32.
func TestCancelMovie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unknown := domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", project)
	_, err := w.cancel(alice)
	requireRefusal(t, err, unknown)
	w.submitted()
	_, err = w.start("w1", 0)
	w.must(err)
	_, err = w.cancel(mallory)
	requireRefusal(t, err, unknown)
	w.wait(time.Minute)
	got, err := w.cancel(alice)
	w.must(err)
	end, err := w.log.Last(t.Context(), movieStream)
	w.must(err)
	if !got.At.Equal(t0.Add(time.Minute)) || got.Position != end.Position {
		t.Errorf("cancelled at %v, %v", got.At, got.Position)
	}
	requireNothing(t, w.finish(w.success(1, "w1")))
	w.wantFiles("movies/alice/project000000001.json") // the files that the render had stored are removed
	w.must(w.settle())
	w.wantCredits(0, 0)
	claim, err := w.startDelivery("d1", 0)
	w.must(err)
	if claim.Success || claim.Message != "Movie was cancelled" || !claim.FileGone {
		t.Errorf("claim %+v", claim)
	}
	_, err = w.cancel(alice)
	requireRefusal(t, err, domain.Errorf(domain.Conflict, "movie_already_finished", "Movie %s has already finished", project))
}

// TestRequestRedelivery: the destinations of a delivered movie are served again, in a run of its own.
func TestRequestRedelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := func(by domain.AccountID, index *int) error {
		h := deliveries.NewRequestRedeliveryHandler(w.log, w.clock)
		_, err := h.Handle(t.Context(), deliveries.RequestRedelivery{Account: by, Project: project, Index: index})
		return err
	}
	w.done()
	busy := domain.Errorf(domain.Conflict, "delivery_in_progress", "Movie %s is being delivered. Wait until that has ended.", project)
	requireRefusal(t, request(alice, nil), busy)
	_, err := w.startDelivery("d1", 0)
	w.must(err)
	for index := range 2 {
		w.must(w.record("d1", try(1, index, 1, true)))
	}
	w.must(w.finishDelivery(1, "d1"))
	requireRefusal(t, request(mallory, nil), domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", project))
	one := 1
	w.must(request(alice, &one))
	requireRefusal(t, request(alice, &one), busy)
	claim, err := w.startDelivery("d2", 0)
	w.must(err)
	if claim.Run != 2 || !claim.Destinations[0].Final || claim.Destinations[1].Tries != 0 || claim.Spent != 0 {
		t.Errorf("claim %+v", claim)
	}
	w.must(w.record("d2", try(2, 1, 1, true)))
	w.must(w.finishDelivery(2, "d2"))
	w.must(request(alice, nil))
}

func (w *world) expire(retention time.Duration) error {
	h := commands.NewExpireFileHandler(w.log, w.files, w.clock, retention)
	_, err := h.Handle(w.t.Context(), commands.ExpireFile{Project: project})
	return err
}

// TestExpireFile: the files of a movie are removed when their retention has ended. The movie stays, and counts as deleted
// only after a deletion by its owner. Spec: Limits, Retention; decision 31.
func TestExpireFile(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	w := newWorld(t)
	requireNothing(t, w.expire(week))
	w.done()
	w.must(w.files.Put(t.Context(), blobkey.RendersOf(project)+"0.mp4", strings.NewReader("a lost attempt")))
	w.wait(week - 1)
	requireNothing(t, w.expire(week))
	w.wait(time.Millisecond)
	w.files.Fail(func(call, _ string) error {
		if call == "delete" {
			return errors.New("read only")
		}
		return nil
	})
	if err := w.expire(week); err == nil {
		t.Error("expired a file that is still there")
	}
	w.files.Fail(nil)
	w.must(w.expire(week))
	w.wantFiles("movies/alice/project000000001.json")
	if got := w.last(movieStream).(movie.FileDeleted); got.Reason != movie.Expired {
		t.Errorf("deleted %+v", got)
	}
	requireNothing(t, w.expire(week))
	w.wait(time.Hour)
	deletion, err := commands.NewDeleteFileHandler(w.log, w.files, w.clock).Handle(t.Context(), commands.DeleteFile{Account: alice, Project: project})
	w.must(err)
	if !deletion.At.Equal(w.clock().UTC().Truncate(time.Millisecond)) {
		t.Errorf("deleted at %v", deletion.At)
	}
	requireNothing(t, w.expire(week))
}
