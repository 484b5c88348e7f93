package commands_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/idempotency"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
)

func (w *world) submitKeyed(key, body string) (commands.Submission, error) {
	return w.submitHandler().Handle(w.t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body), IdempotencyKey: key})
}

var (
	errReused = domain.Errorf(domain.Conflict, "idempotency_key_reused", "This Idempotency-Key was used with another movie")
	threeSecs = `{"scenes":[{"duration":3}]}`
)

// TestSubmitMovie_repeated: a retry with the same idempotency key gets the first answer, for 24 hours. Decision 25.
func TestSubmitMovie_repeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	w.grant(mallory, 100)
	first, err := w.submitKeyed("k", sevenSeconds)
	w.must(err)
	w.wait(time.Hour)
	again, err := w.submitKeyed("k", sevenSeconds) // although no credits are available any more
	w.must(err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("answers (-first +again):\n%s", diff)
	}
	_, err = w.submitKeyed("k", threeSecs)
	requireRefusal(t, err, errReused)
	_, err = w.submitKeyed("other", sevenSeconds)
	requireRefusal(t, err, errInsufficient)
	_, err = w.submitKeyed(strings.Repeat("k", 256), sevenSeconds)
	requireRefusal(t, err, domain.Errorf(domain.Invalid, "idempotency_key_invalid", "Idempotency-Key must be 1 to 255 characters"))
	strangers, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: mallory, Body: []byte(threeSecs), IdempotencyKey: "k"})
	w.must(err)
	if strangers.Project == first.Project {
		t.Error("two accounts share a key")
	}
	w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld")

	w.wait(23 * time.Hour) // the idempotency key has expired
	_, err = w.ledgers.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "more", Amount: 100})
	w.must(err)
	later, err := w.submitKeyed("k", threeSecs)
	w.must(err)
	if later.Project == first.Project {
		t.Error("the key still stands for the first movie")
	}
}

// TestSubmitMovie_repeatedWhenSuspended: a suspended account gets the answer of a retry, and no other submission.
func TestSubmitMovie_repeatedWhenSuspended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	first, err := w.submitKeyed("k", sevenSeconds)
	w.must(err)
	_, err = w.start("w1", 0)
	w.must(err)
	w.must(w.finish(w.success(1, "w1")))
	w.must(w.settle())
	admit := w.submitHandler().Admit
	requireRefusal(t, admit(t.Context(), alice, ""), errSuspended)
	requireRefusal(t, admit(t.Context(), alice, "other"), errSuspended)
	w.must(admit(t.Context(), alice, "k"))
	again, err := w.submitKeyed("k", sevenSeconds)
	w.must(err)
	if again.Project != first.Project || !again.At.Equal(first.At) {
		t.Errorf("answers %+v and %+v", first, again)
	}
	_, err = w.submitKeyed("k", threeSecs)
	requireRefusal(t, err, errReused)
	_, err = w.submitKeyed("other", threeSecs)
	requireRefusal(t, err, errSuspended)
	w.wait(24 * time.Hour)
	requireRefusal(t, admit(t.Context(), alice, "k"), errSuspended)
}

// TestSubmitMovie_repeatedAfterRefusal: only a success is remembered: a retry after a refusal is decided anew.
func TestSubmitMovie_repeatedAfterRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 3)
	_, err := w.submitKeyed("k", sevenSeconds)
	requireRefusal(t, err, errInsufficient)
	w.files.Fail(func(call, _ string) error {
		if call == "put" {
			return errors.New("disk full")
		}
		return nil
	})
	if _, err = w.submitKeyed("k", threeSecs); err == nil {
		t.Fatal("accepted without a document")
	}
	w.files.Fail(nil)
	_, err = w.submitKeyed("k", threeSecs)
	w.must(err)
	w.wantEvents(movieStream, "MovieSubmitted")
	w.wantEvents(idempotency.Stream(alice, "k"), "IdempotencyKeyReserved")
	w.wantCredits(0, 3)
}

// TestSubmitMovie_repeatedAfterCrash ends the process after each step of a submission: the retry completes it, and there is
// one movie.
func TestSubmitMovie_repeatedAfterCrash(t *testing.T) {
	t.Parallel()
	for _, at := range []string{idempotency.StreamCategory, ledger.StreamCategory, movie.StreamCategory} {
		t.Run("before the append to "+at, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 7)
			w.kill(at)
			if _, err := w.submitKeyed("k", sevenSeconds); err == nil {
				t.Fatal("accepted")
			}
			w.restart()
			w.wait(5 * time.Minute)
			got, err := w.submitKeyed("k", sevenSeconds)
			w.must(err)
			w.wantEvents(movie.Stream(got.Project), "MovieSubmitted")
			w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld")
			w.wantCredits(0, 7)
			w.wantFiles(blobkey.Document(alice, got.Project))
		})
	}
}

// TestSubmitMovie_repeatedAfterAbandoning: after the submission was abandoned, a retry reserves the idempotency key for a
// new project.
func TestSubmitMovie_repeatedAfterAbandoning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	w.kill(movie.StreamCategory)
	if _, err := w.submitKeyed("k", sevenSeconds); err == nil {
		t.Fatal("accepted")
	}
	w.restart()
	w.wait(age)
	w.must(w.abandon())
	got, err := w.submitKeyed("k", sevenSeconds)
	w.must(err)
	if got.Project == project {
		t.Error("the abandoned project came back")
	}
	w.wantEvents(movieStream, "SubmissionAbandoned")
	w.wantEvents(movie.Stream(got.Project), "MovieSubmitted")
	w.wantCredits(0, 7)
}

// TestSubmitMovie_repeatedAtOnce: many requests with one key, in two processes, make one movie and get one answer.
func TestSubmitMovie_repeatedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	other := ledgers.New(w.log, w.clock)
	t.Cleanup(other.Close)
	handlers := []commands.SubmitMovieHandler{w.submitHandler(), commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: w.log, Ledgers: other, Files: w.files, NewProject: w.newProject, Now: w.clock,
	})}
	var mu sync.Mutex
	answers := make(map[commands.Submission]int)
	var requests sync.WaitGroup
	for i := range 20 {
		requests.Go(func() {
			got, err := handlers[i%2].Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds), IdempotencyKey: "k"})
			if err != nil {
				t.Errorf("request %d: %v", i, err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[got]++
		})
	}
	requests.Wait()
	if len(answers) != 1 {
		t.Errorf("answers %v", answers)
	}
	w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld")
	w.wantCredits(0, 7)
}

// TestSubmitMovie_repeatedAfterSettling: while a second request with the same key is held up before its hold, the movie of
// the first is rendered and settled. The second request gets the first answer.
func TestSubmitMovie_repeatedAfterSettling(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	first := make(chan commands.Submission, 1)
	w.files.Fail(func(call, _ string) error {
		if call != "put" {
			return nil
		}
		w.files.Fail(nil)
		got, err := w.submitKeyed("k", sevenSeconds)
		w.must(err)
		first <- got
		_, err = w.start("w1", 0)
		w.must(err)
		w.must(w.finish(w.success(1, "w1")))
		w.must(w.settle())
		return nil
	})
	got, err := w.submitKeyed("k", sevenSeconds)
	w.must(err)
	want := <-first
	if got.Project != want.Project || !got.At.Equal(want.At) {
		t.Errorf("answers %+v and %+v", want, got)
	}
	w.wantCredits(7, 0)
	w.wantEvents(movieStream, "MovieSubmitted", "RenderStarted", "RenderFinished")
}

// TestSubmitMovie_repeatedUnseen: when a movie was appended but cannot be read back, the request fails. It never gets an
// answer with an empty project. A retry gets the movie. Decision 60.
func TestSubmitMovie_repeatedUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 7)
	blind := &blindStore{Store: w.store}
	w.log = eventstore.NewLog(blind, eventstore.NewCodec())
	got, err := w.submitKeyed("k", sevenSeconds)
	requireRefusal(t, err, errNotCreated)
	if !errors.Is(err, eventstore.ErrUnavailable) || got != (commands.Submission{}) {
		t.Errorf("got %+v, %v: want nothing, for the store being unavailable", got, err)
	}
	w.log = eventstore.NewLog(w.store, eventstore.NewCodec())
	got, err = w.submitKeyed("k", sevenSeconds)
	w.must(err)
	w.wantEvents(movie.Stream(got.Project), "MovieSubmitted")
}

// blindStore returns no events of movies, like a node of the event store that lags behind.
type blindStore struct{ eventstore.Store }

func (b *blindStore) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	if category, _ := eventstore.SplitStream(stream); category == movie.StreamCategory {
		return func(func(eventstore.Recorded, error) bool) {}
	}
	return b.Store.ReadStream(ctx, stream, dir, from)
}
