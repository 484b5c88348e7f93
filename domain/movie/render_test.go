package movie_test

import (
	"errors"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
)

const (
	tooLong = "Movie took too long to render"
	crashed = "The renderer stopped unexpectedly three times while rendering this movie. Simplify the movie or its assets and submit it again."
)

// closedBy is the failure with which worker k closes a movie.
func closedBy(attempt int, now time.Time, message string) movie.RenderFinished {
	return movie.RenderFinished{Attempt: attempt, Worker: "k", At: now, Message: message}
}

func TestMovie_StartRender(t *testing.T) {
	t.Parallel()
	claimed := func(n int, now time.Time) []domain.Event {
		return history(movie.RenderStarted{Attempt: n, Worker: "k", At: now})
	}
	crash := movie.Start{Death: domain.Crashed, Windows: 2}
	alone := func(n int, death domain.Death) movie.RenderStarted {
		e := started(n)
		e.Alone, e.Death, e.Windows = true, death, 2
		return e
	}
	const memory = "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower resolution, and submit it again."
	tests := []struct {
		name  string
		given []domain.Event
		dead  int
		start movie.Start
		now   time.Time
		want  []domain.Event
	}{
		{name: "unknown", now: after(1)},
		{name: "abandoned", given: history(abandoned), now: after(1)},
		{name: "submitted", given: history(submitted), now: after(1), want: claimed(1, after(1))},
		{name: "submitted long ago: the time runs from the first start", given: history(submitted), now: after(60), want: claimed(1, after(60))},
		{name: "claimed by another", given: history(submitted, started(1)), now: after(5)},
		{name: "claimed by another, an earlier one is dead", given: history(submitted, started(1), started(2)), dead: 1, now: after(5)},
		{name: "claim is dead", given: history(submitted, started(1)), dead: 1, now: after(5), want: claimed(2, after(5))},
		{name: "handed back", given: history(submitted, started(1), released(1)), now: after(5), want: claimed(2, after(5))},
		{name: "done", given: history(submitted, started(1), succeeded(1)), now: after(5)},
		{name: "failed", given: history(submitted, started(1), failed(1)), now: after(5)},
		{name: "cancelled", given: history(submitted, cancelled), now: after(5)},
		{name: "three died for reasons that nobody knows", given: history(submitted, started(1), started(2), started(3)), dead: 3, now: after(5),
			want: claimed(4, after(5))},
		{name: "a crash is noted", given: history(submitted, started(1)), dead: 1, start: crash, now: after(5),
			want: history(movie.RenderStarted{Attempt: 2, Worker: "k", At: after(5), Death: domain.Crashed, Windows: 2})},
		{name: "nobody crashed when the claim was handed back", given: history(submitted, started(1), released(1)), start: crash, now: after(5),
			want: history(movie.RenderStarted{Attempt: 2, Worker: "k", At: after(5), Windows: 2})},
		{name: "the third that counts ends it",
			given: history(submitted, started(1), alone(2, domain.Crashed), alone(3, domain.Crashed), alone(4, domain.Crashed)), dead: 4, start: crash, now: after(5),
			want: history(closedBy(4, after(5), crashed))},
		{name: "the claim of the third is alive",
			given: history(submitted, started(1), alone(2, domain.Crashed), alone(3, domain.Crashed), alone(4, domain.Crashed)), now: after(5)},
		{name: "attempts that were handed back do not count, those around them do",
			given: history(submitted, alone(1, ""), alone(2, domain.Crashed), alone(3, domain.Crashed), alone(4, domain.Crashed), released(4), alone(5, "")),
			dead:  5, start: crash, now: after(5), want: history(closedBy(5, after(5), crashed))},
		{name: "the third ran out of memory",
			given: history(submitted, started(1), alone(2, domain.Crashed), alone(3, domain.Crashed), alone(4, domain.Crashed)), dead: 4,
			start: movie.Start{Death: domain.OutOfMemory, Windows: 2}, now: after(5), want: history(closedBy(4, after(5), memory))},
		{name: "just in time", given: history(submitted, started(1)), dead: 1, now: after(15).Add(-time.Millisecond),
			want: claimed(2, after(15).Add(-time.Millisecond))},
		{name: "out of time since the first start, restarts included", given: history(submitted, started(1), released(1), started(2)), dead: 2, now: after(15),
			want: history(movie.RenderTimedOut{At: after(15)}, closedBy(2, after(15), tooLong))},
		{name: "timed out, claim is dead", given: history(submitted, started(1), timedOut), dead: 1, now: after(16),
			want: history(closedBy(1, after(16), tooLong))},
		{name: "timed out, handed back", given: history(submitted, started(1), timedOut, released(1)), now: after(16),
			want: history(closedBy(1, after(16), tooLong))},
		{name: "timed out, still rendering", given: history(submitted, started(1), timedOut), now: after(16)},
		{name: "out of time while another account has its slot", given: history(submitted, started(1), shared(1)), now: after(16), want: claimed(2, after(16))},
		{name: "timed out while another account has its slot", given: history(submitted, started(1), timedOut, shared(1)), now: after(29), want: claimed(2, after(29))},
		{name: "the same at twice the time", given: history(submitted, started(1), timedOut, shared(1)), now: after(30),
			want: history(closedBy(1, after(30), tooLong))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.start.Worker, tt.start.Dead = "k", tt.dead
			check(t, tt.want, nil, given(tt.given...).StartRender(tt.start, tt.now, limit), nil)
		})
	}
}

func TestMovie_ReleaseRender(t *testing.T) {
	t.Parallel()
	alone := started(1)
	alone.Alone = true
	tests := []struct {
		name   string
		given  []domain.Event
		claim  movie.Claim
		full   bool // the kernel ended one of its programs for want of memory
		shared bool
		want   []domain.Event
		err    error
	}{
		{name: "never started", given: history(submitted), claim: claim(1), err: movie.ErrLost},
		{name: "out of memory beside others", given: history(submitted, started(1)), claim: claim(1), full: true,
			want: history(movie.RenderReleased{Attempt: 1, Worker: "w1", At: after(5), Memory: true})},
		{name: "out of memory alone", given: history(submitted, alone), claim: claim(1), full: true,
			want: history(movie.RenderFinished{Attempt: 1, Worker: "w1", At: after(5),
				Message: "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower resolution, and submit it again."})},
		{name: "alone", given: history(submitted, alone), claim: claim(1),
			want: history(movie.RenderReleased{Attempt: 1, Worker: "w1", At: after(5)})},
		{name: "mine", given: history(submitted, started(1)), claim: claim(1),
			want: history(movie.RenderReleased{Attempt: 1, Worker: "w1", At: after(5)})},
		{name: "mine, another account waits", given: history(submitted, started(1)), claim: claim(1), shared: true,
			want: history(movie.RenderReleased{Attempt: 1, Worker: "w1", At: after(5), Shared: true})},
		{name: "mine, timed out", given: history(submitted, started(1), timedOut), claim: claim(1),
			want: history(movie.RenderReleased{Attempt: 1, Worker: "w1", At: after(5)})},
		{name: "of another worker", given: history(submitted, started(1)), claim: movie.Claim{Number: 1, Worker: "x"}, err: movie.ErrLost},
		{name: "a later attempt has begun", given: history(submitted, started(1), started(2)), claim: claim(1), err: movie.ErrLost},
		{name: "handed back before", given: history(submitted, started(1), released(1)), claim: claim(1)},
		{name: "finished", given: history(submitted, started(1), succeeded(1)), claim: claim(1), err: movie.ErrLost},
		{name: "cancelled", given: history(submitted, started(1), cancelled), claim: claim(1), err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).ReleaseRender(tt.claim, tt.full, tt.shared, after(5))
			check(t, tt.want, tt.err, got, err)
		})
	}
}

// TestMovie_FinishRender. Spec: States and transitions, render finishes; decisions 19 and 28.
func TestMovie_FinishRender(t *testing.T) {
	t.Parallel()
	success := movie.Result{Success: true, Message: "ignored", Plan: &plan, File: &file, Warnings: []string{"odd"}}
	failure := movie.Result{Message: "Scene #1 Element #2: file not found", Plan: &plan}
	finished := func(attempt int, r movie.Result, credits int64) []domain.Event {
		e := movie.RenderFinished{Attempt: attempt, Worker: claim(attempt).Worker, At: after(10), Success: r.Success,
			Plan: r.Plan, File: r.File, Warnings: r.Warnings, Credits: credits}
		if !r.Success {
			e.Message = r.Message
		}
		return history(e)
	}
	discarded := success
	discarded.File = &movie.File{Size: 99, Codec: "h264"}
	stopped := failure
	stopped.Message = tooLong
	tests := []struct {
		name   string
		given  []domain.Event
		claim  movie.Claim
		result movie.Result
		want   []domain.Event
		err    error
	}{
		{name: "success", given: history(submitted, started(1)), claim: claim(1), result: success, want: finished(1, success, 11)},
		{name: "failure costs nothing", given: history(submitted, started(1)), claim: claim(1), result: failure, want: finished(1, failure, 0)},
		{name: "success of the second attempt", given: history(submitted, started(1), started(2)), claim: claim(2), result: success, want: finished(2, success, 11)},
		{name: "late success costs nothing", given: history(submitted, started(1), timedOut), claim: claim(1), result: success, want: finished(1, success, 0)},
		{name: "late failure keeps the message", given: history(submitted, started(1), timedOut), claim: claim(1), result: failure, want: finished(1, stopped, 0)},
		{name: "late success after DELETE stores no file", given: history(submitted, started(1), timedOut, deleted), claim: claim(1), result: success,
			want: finished(1, discarded, 0)},
		{name: "recorded before", given: history(submitted, started(1), succeeded(1)), claim: claim(1), result: success},
		{name: "an attempt that is not the last", given: history(submitted, started(1), started(2)), claim: claim(1), result: success, err: movie.ErrLost},
		{name: "of another worker", given: history(submitted, started(1)), claim: movie.Claim{Number: 1, Worker: "x"}, result: success, err: movie.ErrLost},
		{name: "handed back", given: history(submitted, started(1), released(1)), claim: claim(1), result: success, err: movie.ErrLost},
		{name: "never started", given: history(submitted), claim: claim(1), result: success, err: movie.ErrLost},
		{name: "cancelled", given: history(submitted, started(1), cancelled), claim: claim(1), result: success, err: movie.ErrLost},
		{name: "closed by the keeper", given: history(submitted, started(1), timedOut, closedBy(1, after(30), tooLong)), claim: claim(1), result: success, err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).FinishRender(tt.claim, tt.result, after(10))
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestMovie_FinishRender_incomplete(t *testing.T) {
	t.Parallel()
	tests := map[string]movie.Result{
		"no plan":   {Success: true, File: &file},
		"no file":   {Success: true, Plan: &plan},
		"no rate":   {Success: true, File: &file, Plan: &movie.Dimensions{Frames: 1, FPSDen: 1}},
		"half rate": {Success: true, File: &file, Plan: &movie.Dimensions{Frames: 1, FPSNum: 25}},
	}
	for name, result := range tests {
		got, err := given(submitted, started(1)).FinishRender(claim(1), result, after(10))
		var refusal *domain.Error
		if err == nil || errors.Is(err, movie.ErrLost) || errors.As(err, &refusal) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestPlan_Credits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		frames, num, den int64
		want             int64
	}{
		{"one frame", 1, 25, 1, 1},
		{"exactly ten seconds", 250, 25, 1, 10},
		{"ten seconds and a frame", 251, 25, 1, 11},
		{"a frame below ten seconds", 249, 25, 1, 10},
		{"NTSC: 300 frames last 10.01 s", 300, 30000, 1001, 11},
		{"NTSC: 299 frames last 9.98 s", 299, 30000, 1001, 10},
		{"half an hour at 60", 108000, 60, 1, 1800},
		{"nothing at all", 0, 25, 1, 1},
	}
	for _, tt := range tests {
		if got := (movie.Dimensions{Frames: tt.frames, FPSNum: tt.num, FPSDen: tt.den}).Credits(); got != tt.want {
			t.Errorf("%s: %d credits, want %d", tt.name, got, tt.want)
		}
	}
}

// TestMovie_TimeOut. Spec: States and transitions, time passes; decision 19.
func TestMovie_TimeOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		dead  int
		now   time.Time
		want  []domain.Event
	}{
		{name: "unknown", now: after(60)},
		{name: "pending for long", given: history(submitted), now: after(600)},
		{name: "running, in time", given: history(submitted, started(1)), now: after(15).Add(-time.Millisecond)},
		{name: "running, out of time", given: history(submitted, started(1)), now: after(15), want: history(movie.RenderTimedOut{At: after(15)})},
		{name: "second attempt, out of time since the first", given: history(submitted, started(1), released(1), started(2)), now: after(15),
			want: history(movie.RenderTimedOut{At: after(15)})},
		{name: "out of time, claim is dead", given: history(submitted, started(1)), dead: 1, now: after(15),
			want: history(movie.RenderTimedOut{At: after(15)}, closedBy(1, after(15), tooLong))},
		{name: "out of time, handed back", given: history(submitted, started(1), released(1)), now: after(15),
			want: history(movie.RenderTimedOut{At: after(15)}, closedBy(1, after(15), tooLong))},
		{name: "marked, still rendering", given: history(submitted, started(1), timedOut), now: after(29)},
		{name: "marked, handed back", given: history(submitted, started(1), timedOut, released(1)), now: after(16),
			want: history(closedBy(1, after(16), tooLong))},
		{name: "out of time while another account has its slot", given: history(submitted, started(1), shared(1)), now: after(15),
			want: history(movie.RenderTimedOut{At: after(15)})},
		{name: "the same, marked", given: history(submitted, started(1), timedOut, shared(1)), now: after(29)},
		{name: "the same, twice the time", given: history(submitted, started(1), timedOut, shared(1)), now: after(30),
			want: history(closedBy(1, after(30), tooLong))},
		{name: "the same, begun again and dead", given: history(submitted, started(1), timedOut, shared(1), started(2)), dead: 2, now: after(20),
			want: history(closedBy(2, after(20), tooLong))},
		{name: "marked, claim is dead", given: history(submitted, started(1), timedOut), dead: 1, now: after(16),
			want: history(closedBy(1, after(16), tooLong))},
		{name: "marked, an earlier claim is dead", given: history(submitted, started(1), started(2), timedOut), dead: 1, now: after(16)},
		{name: "marked, twice the time", given: history(submitted, started(1), timedOut), now: after(30),
			want: history(closedBy(1, after(30), tooLong))},
		{name: "never marked, twice the time", given: history(submitted, started(1)), now: after(31),
			want: history(movie.RenderTimedOut{At: after(31)}, closedBy(1, after(31), tooLong))},
		{name: "done", given: history(submitted, started(1), succeeded(1)), now: after(60)},
		{name: "marked and closed", given: history(submitted, started(1), timedOut, failed(1)), now: after(60)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.want, nil, given(tt.given...).TimeOut("k", tt.dead, tt.now, limit), nil)
		})
	}
}
