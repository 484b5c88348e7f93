package movie_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

const (
	project = domain.ProjectID("Abcd1234Efgh5678")
	alice   = domain.AccountID("alice")
	mallory = domain.AccountID("mallory")
	limit   = 15 * time.Minute
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// after is a time some minutes after t0.
func after(minutes int) time.Time { return t0.Add(time.Duration(minutes) * time.Minute) }

// The events that the tables are written in. The worker of attempt n is called wn, that of run n is dn.
var (
	submitted = movie.Submitted{Account: alice, At: t0, DocumentHash: "hash", Held: 7, Destinations: 2,
		Targets: []movie.Target{{Type: "webhook"}, {Type: "ftp", ID: "store"}}}
	silent    = movie.Submitted{Account: alice, At: t0, DocumentHash: "hash", Held: 7}
	abandoned = movie.SubmissionAbandoned{Account: alice, At: t0}
	timedOut  = movie.RenderTimedOut{At: after(15)}
	cancelled = movie.Cancelled{At: after(2)}
	expired   = movie.FileDeleted{Reason: movie.Expired, At: after(30)}
	deleted   = movie.FileDeleted{Reason: movie.ByUser, At: after(40)}
	plan      = movie.Dimensions{Width: 640, Height: 360, Frames: 251, FPSNum: 25, FPSDen: 1}
	file      = movie.File{Key: "renders/Abcd1234Efgh5678/1.mp4", Thumbnail: "renders/Abcd1234Efgh5678/1.jpg", Token: "token", Size: 99, Codec: "h264"}
)

func claim(n int) movie.Claim { return movie.Claim{Number: n, Worker: "w" + string(rune('0'+n))} }

func started(n int) movie.RenderStarted {
	return movie.RenderStarted{Attempt: n, Worker: claim(n).Worker, At: after(n - 1)}
}

func released(n int) movie.RenderReleased {
	return movie.RenderReleased{Attempt: n, Worker: claim(n).Worker, At: after(n)}
}

// shared is a claim that was handed back for another account's movie.
func shared(n int) movie.RenderReleased {
	e := released(n)
	e.Shared = true
	return e
}

func succeeded(n int) movie.RenderFinished {
	return movie.RenderFinished{Attempt: n, Worker: claim(n).Worker, At: after(10), Success: true, Plan: &plan, File: &file, Credits: 11}
}

func failed(n int) movie.RenderFinished {
	return movie.RenderFinished{Attempt: n, Worker: claim(n).Worker, At: after(10), Message: "broken"}
}

func given(events ...domain.Event) *movie.Movie {
	m := movie.New(project)
	for _, event := range events {
		m.Apply(event)
	}
	return m
}

func history(events ...domain.Event) []domain.Event { return events }

// check compares what was decided with what was wanted: events, or an error.
func check(t *testing.T, want []domain.Event, wantErr error, got []domain.Event, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var wantRefusal, refusal *domain.Error
	switch {
	case errors.As(wantErr, &wantRefusal) && errors.As(err, &refusal):
		if diff := cmp.Diff(wantRefusal, refusal); diff != "" {
			t.Errorf("refusal (-want +got):\n%s", diff)
		}
	case !errors.Is(err, wantErr):
		t.Errorf("error %v, want %v", err, wantErr)
	}
}

// TestMovie_Status has a row for every way through the transition table. Spec: States and transitions, Movie status.
func TestMovie_Status(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		given   []domain.Event
		want    movie.Status
		outcome movie.Outcome
	}{
		{"never submitted", nil, movie.Unknown, movie.NoOutcome},
		{"abandoned", history(abandoned), movie.Unknown, movie.Abandoned},
		{"submitted", history(submitted), movie.Pending, movie.NoOutcome},
		{"started", history(submitted, started(1)), movie.Running, movie.NoOutcome},
		{"handed back", history(submitted, started(1), released(1)), movie.Running, movie.NoOutcome},
		{"succeeded", history(submitted, started(1), succeeded(1)), movie.Done, movie.Succeeded},
		{"failed", history(submitted, started(1), failed(1)), movie.Failed, movie.RenderFailed},
		{"timed out", history(submitted, started(1), timedOut), movie.Timeout, movie.TookTooLong},
		{"late success", history(submitted, started(1), timedOut, succeeded(1)), movie.Done, movie.TookTooLong},
		{"late failure", history(submitted, started(1), timedOut, failed(1)), movie.Timeout, movie.TookTooLong},
		{"cancelled before it started", history(submitted, cancelled), movie.Failed, movie.WasCancelled},
		{"cancelled while running", history(submitted, started(1), cancelled), movie.Failed, movie.WasCancelled},
		{"done and deleted", history(submitted, started(1), succeeded(1), deleted), movie.Done, movie.Succeeded},
		{"done and expired", history(submitted, started(1), succeeded(1), expired), movie.Done, movie.Succeeded},
		{"timed out and deleted", history(submitted, started(1), timedOut, deleted), movie.Timeout, movie.TookTooLong},
		{"failed and delivered", history(submitted, started(1), failed(1), run(1), finished(1)), movie.Failed, movie.RenderFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := given(tt.given...)
			if m.Status() != tt.want || m.Outcome() != tt.outcome {
				t.Errorf("status %q, outcome %q, want %q and %q", m.Status(), m.Outcome(), tt.want, tt.outcome)
			}
		})
	}
}

func TestMovie_Submit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
		err   error
	}{
		{name: "new", want: history(submitted)},
		{name: "already there", given: history(submitted), err: movie.ErrLost},
		{name: "abandoned", given: history(abandoned), err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Submit(submitted)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestMovie_Abandon(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
	}{
		{name: "never came", want: history(movie.SubmissionAbandoned{Account: alice, At: after(10)})},
		{name: "came", given: history(submitted)},
		{name: "abandoned before", given: history(abandoned)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.want, nil, given(tt.given...).Abandon(alice, after(10)), nil)
		})
	}
}

// TestMovie_DeleteFile. Spec: States and transitions, the rows of DELETE /movies; Errors, DELETE /movies; decision 31.
func TestMovie_DeleteFile(t *testing.T) {
	t.Parallel()
	now := after(60)
	byUser := history(movie.FileDeleted{Reason: movie.ByUser, At: now})
	unknown := domain.Errorf(domain.NotFound, "movie_not_found", "Movie Abcd1234Efgh5678 not found")
	rendering := domain.Errorf(domain.Conflict, "movie_still_rendering",
		"Movie Abcd1234Efgh5678 is still rendering. Wait until it finishes before deleting it.")
	tests := []struct {
		name  string
		given []domain.Event
		by    domain.AccountID
		want  []domain.Event
		err   error
	}{
		{name: "unknown", by: alice, err: unknown},
		{name: "abandoned", given: history(abandoned), by: alice, err: unknown},
		{name: "of another account", given: history(submitted, started(1), succeeded(1)), by: mallory, err: unknown},
		{name: "pending", given: history(submitted), by: alice, err: rendering},
		{name: "running", given: history(submitted, started(1)), by: alice, err: rendering},
		{name: "running, handed back", given: history(submitted, started(1), released(1)), by: alice, err: rendering},
		{name: "pending, of another account", given: history(submitted), by: mallory, err: unknown},
		{name: "done", given: history(submitted, started(1), succeeded(1)), by: alice, want: byUser},
		{name: "error", given: history(submitted, started(1), failed(1)), by: alice, want: byUser},
		{name: "timeout, still running", given: history(submitted, started(1), timedOut), by: alice, want: byUser},
		{name: "timeout, closed", given: history(submitted, started(1), timedOut, failed(1)), by: alice, want: byUser},
		{name: "expired", given: history(submitted, started(1), succeeded(1), expired), by: alice, want: byUser},
		{name: "deleted before", given: history(submitted, started(1), succeeded(1), deleted), by: alice},
		{name: "deleted before, then expired", given: history(submitted, started(1), succeeded(1), deleted, expired), by: alice},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).DeleteFile(tt.by, now)
			check(t, tt.want, tt.err, got, err)
		})
	}
	if at := given(submitted, started(1), succeeded(1), deleted, expired).DeletedAt(); !at.Equal(after(40)) {
		t.Errorf("deleted at %v", at)
	}
}

func TestMovie_Closing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		given  []domain.Event
		want   movie.Closing
		closed bool
	}{
		{name: "running", given: history(submitted, started(1))},
		{name: "timed out, not closed", given: history(submitted, started(1), timedOut)},
		{name: "done", given: history(submitted, started(1), succeeded(1)), closed: true,
			want: movie.Closing{At: after(10), Success: true, Plan: &plan, File: &file, Attempt: claim(1)}},
		{name: "deleted", given: history(submitted, started(1), succeeded(1), deleted), closed: true,
			want: movie.Closing{At: after(10), Success: true, Plan: &plan, File: &file, Attempt: claim(1), FileGone: true}},
		{name: "failed", given: history(submitted, started(1), failed(1)), closed: true,
			want: movie.Closing{At: after(10), Message: "broken", Attempt: claim(1), FileGone: true}},
		{name: "cancelled", given: history(submitted, cancelled), closed: true,
			want: movie.Closing{At: after(2), Message: "Movie was cancelled", FileGone: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := given(tt.given...)
			got, closed := m.Closing()
			if diff := cmp.Diff(tt.want, got); diff != "" || closed != tt.closed {
				t.Errorf("closed %v (-want +got):\n%s", closed, diff)
			}
			if keeps := m.KeepsFile(file.Key); keeps != (tt.want.Success && !tt.want.FileGone) {
				t.Errorf("keeps the file: %v", keeps)
			}
		})
	}
}
