package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// TestSubmission_killed ends the process after each step of a submission. When the hold is old enough, AbandonSubmission
// cleans up: nothing is charged or held, no document is left, and the movie can no longer be submitted. Design §4.
func TestSubmission_killed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		at   string // the stream category at whose next append the process ends
		left []string
		held int64
	}{
		{name: "after the document was stored", at: "ledger", left: []string{"movies/alice/project000000001.json"}},
		{name: "after the credits were held", at: "movie", left: []string{"movies/alice/project000000001.json"}, held: 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 100)
			w.kill(tt.at)
			_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
			requireRefusal(t, err, errNotCreated)
			w.restart()
			w.wantCredits(0, tt.held)
			w.wantFiles(tt.left...)

			w.wait(age - 1)
			requireNothing(t, w.abandon())
			w.wantCredits(0, tt.held)
			w.wait(1)
			if tt.held == 0 { // there is no hold, so there is nothing to abandon: a daily chore removes the document
				requireNothing(t, w.abandon())
				w.wantEvents(movieStream)
				return
			}
			w.must(w.abandon())
			w.wantCredits(0, 0)
			w.wantFiles()
			w.wantEvents(movieStream, "SubmissionAbandoned")
			w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld", "CreditsReleased")
			requireNothing(t, w.abandon())
			_, err = w.start("w1", 0)
			requireNothing(t, err)
		})
	}
}

// TestSubmission_late abandons a submission just before its MovieSubmitted is appended: the append conflicts, and the
// request fails.
func TestSubmission_late(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, _ string, events []eventstore.Proposed) error {
		if events[0].Type == "MovieSubmitted" {
			w.wait(age)
			w.must(w.abandon())
		}
		return nil
	}})
	_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
	requireRefusal(t, err, errNotCreated)
	if !errors.Is(err, eventstore.ErrConflict) {
		t.Errorf("error %v, want a conflict behind it", err)
	}
	w.wantEvents(movieStream, "SubmissionAbandoned")
	w.wantCredits(0, 0)
	w.wantFiles()
}

// TestAbandonSubmission_inTime: a submitted movie is never abandoned, however old its hold is.
func TestAbandonSubmission_inTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted()
	w.wait(100 * age)
	requireNothing(t, w.abandon())
	w.wantEvents(movieStream, "MovieSubmitted")
	w.wantCredits(0, 7)
}

// TestAbandonSubmission_killed ends the process after each step of AbandonSubmission: repeating it, or SettleMovie,
// completes it.
func TestAbandonSubmission_killed(t *testing.T) {
	t.Parallel()
	steps := map[string]func(*world){
		"before anything": func(w *world) { w.kill("movie") },
		"after SubmissionAbandoned": func(w *world) {
			w.files.Fail(func(call, _ string) error { return errKilled })
		},
		"after the document was deleted": func(w *world) { w.kill("ledger") },
	}
	completions := map[string]func(*world) error{"repeated": (*world).abandon, "settled": (*world).settle}
	for step, kill := range steps {
		for how, complete := range completions {
			t.Run(step+", "+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.grant(alice, 100)
				w.kill("movie")
				if _, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)}); err == nil {
					t.Fatal("submitted")
				}
				w.restart()
				w.wait(age)
				kill(w)
				if err := w.abandon(); !errors.Is(err, errKilled) {
					t.Fatalf("abandoned: %v", err)
				}
				w.wantCredits(0, 7)
				w.restart()
				if how == "settled" && step == "before anything" {
					requireNothing(t, complete(w)) // SettleMovie does nothing for a movie without an outcome
					return
				}
				w.must(complete(w))
				w.wantCredits(0, 0)
				w.wantFiles()
				w.wantEvents(movieStream, "SubmissionAbandoned")
			})
		}
	}
}

// TestSettleMovie has a row for each first outcome. Design §5; decision 19.
func TestSettleMovie(t *testing.T) {
	t.Parallel()
	started := movie.RenderStarted{Attempt: 1, Worker: "w1", At: t0}
	succeeded := movie.RenderFinished{Attempt: 1, Worker: "w1", At: t0, Success: true}
	failed := movie.RenderFinished{Attempt: 1, Worker: "w1", At: t0}
	timedOut := movie.RenderTimedOut{At: t0}
	released := func(reason string) domain.Event {
		return ledger.CreditsReleased{Project: project, Amount: 9, Reason: reason, At: t0}
	}
	tests := []struct {
		name    string
		after   []domain.Event
		want    domain.Event // nil: there is nothing to settle
		charged int64
	}{
		{name: "pending"},
		{name: "running", after: []domain.Event{started}},
		{name: "success", after: []domain.Event{started, succeeded}, want: ledger.CreditsCharged{Project: project, Amount: 9, At: t0}, charged: 9},
		{name: "failure", after: []domain.Event{started, failed}, want: released("failed")},
		{name: "time-out", after: []domain.Event{started, timedOut}, want: released("timeout")},
		{name: "success after the time-out", after: []domain.Event{started, timedOut, succeeded}, want: released("timeout")},
		{name: "cancelled", after: []domain.Event{movie.Cancelled{At: t0}}, want: released("cancelled")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.submitted()
			_, err := w.ledgers.ChangeHold(t.Context(), ledgers.ChangeHold{Account: alice, Project: project, Attempt: 1, Amount: 9})
			w.must(err)
			for i, event := range tt.after {
				_, err := w.log.Append(t.Context(), movieStream, eventstore.Revision(i), eventstore.Meta{Time: t0}, event)
				w.must(err)
			}
			if tt.want == nil {
				requireNothing(t, w.settle())
				w.wantCredits(0, 9)
				return
			}
			for range 2 { // the second call changes nothing
				w.must(w.settle())
				w.wantCredits(tt.charged, 0)
			}
			w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld", "CreditsHoldChanged", tt.want.EventType())
			if got := w.last(ledgerStream); got != tt.want {
				t.Errorf("event %v, want %v", got, tt.want)
			}
			w.wantFiles("movies/alice/project000000001.json")
		})
	}
}

// TestSettleMovie_withoutHold: settling a movie that succeeded without a hold is the error ErrNoHold.
func TestSettleMovie_withoutHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.log.Append(t.Context(), movieStream, eventstore.NoStream, eventstore.Meta{Time: t0},
		movie.Submitted{Account: alice, At: t0}, movie.RenderFinished{Attempt: 1, Worker: "w1", At: t0, Success: true})
	w.must(err)
	if err := w.settle(); !errors.Is(err, ledger.ErrNoHold) || !strings.Contains(err.Error(), string(project)) {
		t.Errorf("error %v", err)
	}
}
