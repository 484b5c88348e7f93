package movie

import (
	"fmt"
	"time"

	"moviola/domain"
)

// The messages to the owner of a movie without video. The first is the specification's, the second that of decision 19.
const (
	timeoutMessage   = "Movie took too long to render"
	cancelledMessage = "Movie was cancelled"
	crashedMessage   = "The renderer stopped unexpectedly three times while rendering this movie. Simplify the movie or its " +
		"assets and submit it again."
	memoryMessage = "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower " +
		"resolution, and submit it again."
)

// Claim returns the newest claim on the render.
func (m *Movie) Claim() Claim { return m.claim }

// FirstStarted returns the time when the first attempt began; zero before it.
func (m *Movie) FirstStarted() time.Time { return m.firstStarted }

// KeepsFile reports whether the blob key of an MP4 is that of the movie's file, and the file was not deleted. Once the movie
// is closed, the MP4 of any other attempt, and the files beside it, can be deleted and must not be shown.
func (m *Movie) KeepsFile(key string) bool {
	c, closed := m.Closing()
	return closed && !c.FileGone && c.File.Key == key
}

// Encoder is the program or hardware that encodes the windows of movies.
type Encoder struct{ Name, Version string }

// Start is what a worker states when it claims a movie.
type Start struct {
	Worker  string
	Dead    int          // number of the attempt whose worker is known to be dead; 0: none
	Death   domain.Death // cause of death of the worker whose attempt the field Dead names; empty: unknown
	Alone   bool         // the worker's process will do no other render or preload item
	Windows int          // number of windows that earlier attempts have finished
	Encoder Encoder      // encoder of the windows of the attempt that begins
}

// StartRender claims the movie for a worker. It returns no event when the movie does not exist, is closed, or is claimed by a
// worker that is not known to be dead. A movie that is out of time, unless it may continue (see goesOn), or has crashed its
// renderers too often is closed instead.
func (m *Movie) StartRender(s Start, now time.Time, limit time.Duration) []domain.Event {
	switch {
	case m.submitted == nil || m.closing != nil || m.held(s.Dead):
		return nil
	case m.outOfTime(now, limit) && !m.goesOn(now, limit):
		return m.TimeOut(s.Worker, s.Dead, now, limit)
	case !m.claimed: // without an open claim, no worker has died
		s.Death = domain.Unexplained
	}
	if death, over := m.trial.Over(s.Death, s.Windows); over {
		return []domain.Event{m.failure(s.Worker, gaveUp(death), now)}
	}
	return []domain.Event{RenderStarted{
		Attempt: m.claim.Number + 1, Worker: s.Worker, At: now, Alone: s.Alone, Death: s.Death, Windows: s.Windows,
		Encoder: s.Encoder.Name, EncoderVersion: s.Encoder.Version,
	}}
}

// held reports whether the claim is open and its worker is not known to be dead. dead is the attempt whose worker is known
// to be dead.
func (m *Movie) held(dead int) bool { return m.claimed && m.claim.Number != dead }

// outOfTime reports whether the limit has passed since the first attempt began. The time of restarts and downtime counts
// too (decision 19).
func (m *Movie) outOfTime(now time.Time, limit time.Duration) bool {
	return m.timedOut || !m.firstStarted.IsZero() && !now.Before(m.firstStarted.Add(limit))
}

// goesOn reports whether a movie past its time limit may continue. It may if it gave its slot to a movie of another account
// and now waits for its next slot. At twice the limit no movie continues.
func (m *Movie) goesOn(now time.Time, limit time.Duration) bool {
	return !m.claimed && m.shared && now.Before(m.firstStarted.Add(2*limit))
}

// failure returns the event that closes the movie without video.
func (m *Movie) failure(worker, message string, now time.Time) RenderFinished {
	return RenderFinished{Attempt: m.claim.Number, Worker: worker, At: now, Message: domain.Brief(message)}
}

// ReleaseRender releases the claim without an outcome. memory reports whether the kernel killed one of the attempt's programs
// because memory ran out, shared whether another account waits for the slot. ReleaseRender returns no event when the claim was
// released before; for a claim that is not current the error is ErrLost. It closes the movie when an attempt that was the only
// work in its process ran out of memory, because other work was then not the reason. Decision 56.
func (m *Movie) ReleaseRender(c Claim, memory, shared bool, now time.Time) ([]domain.Event, error) {
	switch {
	case m.claim != c || m.closing != nil:
		return nil, ErrLost
	case !m.claimed:
		return nil, nil
	}
	if memory && m.trial.Alone() {
		message := memoryMessage
		if m.timedOut {
			message = timeoutMessage
		}
		return []domain.Event{m.failure(c.Worker, message, now)}, nil
	}
	return []domain.Event{RenderReleased{Attempt: c.Number, Worker: c.Worker, At: now, Memory: memory, Shared: shared}}, nil
}

// Result is the result of an attempt.
type Result struct {
	Success  bool
	Message  string      // why the render failed; empty: it succeeded
	Plan     *Dimensions // size, rate and length of the movie; nil: the attempt ended before the movie was laid out
	File     *File       // the rendered file; set on success only
	Warnings []string
	// CacheKey is the key by which an equal movie can reuse the file; empty: it cannot. CachedFrom is the movie whose file was
	// copied; empty: this movie was rendered. Decision 20.
	CacheKey   string
	CachedFrom domain.ProjectID
	// Code and Family classify a failure. Spent tells how the attempt used its time; nil: it was not measured.
	Code, Family string
	Spent        *Spent
}

// complete reports whether a success has all fields that a success needs.
func (r Result) complete() bool {
	return r.Plan != nil && r.File != nil && r.Plan.FPSNum > 0 && r.Plan.FPSDen > 0
}

// FinishRender records the outcome of the current attempt; for any other attempt the error is ErrLost. It returns no event
// when the outcome is recorded already.
//
// A success costs nothing after the time-out, from the cache, or on a counted plan. The file of a success is discarded if
// the owner has deleted the movie's file before. A failure after the time-out does not change the movie's message.
// Decision 19.
func (m *Movie) FinishRender(c Claim, r Result, now time.Time) ([]domain.Event, error) {
	switch {
	case m.closing != nil && m.closing.Attempt == c:
		return nil, nil
	case m.closing != nil || !m.claimed || m.claim != c:
		return nil, ErrLost
	case !r.Success && m.timedOut:
		r.Message, r.Code, r.Family = timeoutMessage, "", ""
	}
	e := RenderFinished{
		Attempt: c.Number, Worker: c.Worker, At: now,
		Success: r.Success, Message: domain.Brief(r.Message), Plan: r.Plan, Warnings: domain.Briefs(r.Warnings), Spent: r.Spent,
	}
	if !r.Success {
		e.Code, e.Family = r.Code, r.Family
		return []domain.Event{e}, nil
	}
	if !r.complete() {
		return nil, fmt.Errorf("attempt %d of movie %s succeeded without plan or file", c.Number, m.project)
	}
	e.Message = ""
	file := *r.File
	if m.gone {
		file.Key, file.Thumbnail, file.Subtitles, file.Token = "", "", "", ""
		file.Outputs = withoutFiles(file.Outputs)
	}
	e.File, e.CacheKey, e.CachedFrom = &file, r.CacheKey, r.CachedFrom
	if !m.timedOut && !m.submitted.Counted && r.CachedFrom == "" {
		e.Credits = r.Plan.Credits()
	}
	return []domain.Event{e}, nil
}

// Credits returns the price of a movie in credits: its started seconds, that is frames ÷ frames per second rounded up, at
// least 1. Decision 28.
func (p Dimensions) Credits() int64 {
	return max(1, (p.Frames*p.FPSDen+p.FPSNum-1)/p.FPSNum)
}

// TimeOut marks a movie as timed out if its first attempt began longer ago than the limit. It also closes the movie if no
// worker renders it, unless it waits for its next slot because it gave its slot to another account's movie. No worker
// renders the movie if its claim was released, or if `dead` is the number of the attempt that has the claim. At twice the
// limit, TimeOut closes the movie in any case. The status of a closed movie stays timeout. TimeOut returns no event when
// there is nothing to mark and nothing to close.
func (m *Movie) TimeOut(worker string, dead int, now time.Time, limit time.Duration) []domain.Event {
	if m.submitted == nil || m.closing != nil || !m.outOfTime(now, limit) {
		return nil
	}
	var events []domain.Event
	if !m.timedOut {
		events = append(events, RenderTimedOut{At: now})
	}
	if !m.held(dead) && !m.goesOn(now, limit) || !now.Before(m.firstStarted.Add(2*limit)) {
		events = append(events, m.failure(worker, timeoutMessage, now))
	}
	return events
}
