package movie

import (
	"fmt"
	"time"

	"moviola/domain"
)

// The owner's messages for a movie without video. The first is the specification's, the second that of decision 19.
const (
	timeoutMessage   = "Movie took too long to render"
	cancelledMessage = "Movie was cancelled"
	crashedMessage   = "The renderer stopped unexpectedly three times while rendering this movie. Simplify the movie or its " +
		"assets and submit it again."
	memoryMessage = "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower " +
		"resolution, and submit it again."
)

// Claim is the newest claim on the render.
func (m *Movie) Claim() Claim { return m.claim }

// FirstStarted is the time when the first attempt began; zero before it.
func (m *Movie) FirstStarted() time.Time { return m.firstStarted }

// KeepsFile says whether the movie's events name a stored file. Every other file of the movie can be deleted, and must not be
// shown.
func (m *Movie) KeepsFile(key string) bool {
	c, closed := m.Closing()
	return closed && !c.FileGone && c.File.Key == key
}

// Encoder is what encodes the windows of movies.
type Encoder struct{ Name, Version string }

// Start is what a worker knows when it claims a movie.
type Start struct {
	Worker  string
	Dead    int          // number of the attempt whose worker is known to be dead; 0: none
	Death   domain.Death // how that worker's process died
	Alone   bool         // the worker's process will do no other render or preload item
	Windows int          // number of windows that earlier attempts have finished
	Encoder Encoder      // what encodes the windows
}

// StartRender claims the movie for a worker. It returns no event when the movie does not exist, is closed, or is claimed by
// another worker. A movie that has timed out or has crashed its renderers too often is closed instead.
func (m *Movie) StartRender(s Start, now time.Time, limit time.Duration) []domain.Event {
	switch {
	case m.submitted == nil || m.closing != nil || m.held(s.Dead):
		return nil
	case m.outOfTime(now, limit) && !m.goesOn(now, limit):
		return m.TimeOut(s.Worker, s.Dead, now, limit)
	case !m.claimed: // no worker died
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

// held says whether a live worker has the claim. dead is the attempt whose worker is known to be dead.
func (m *Movie) held(dead int) bool { return m.claimed && m.claim.Number != dead }

// outOfTime says whether the limit has passed since the first attempt began. Restarts and downtime count (decision 19).
func (m *Movie) outOfTime(now time.Time, limit time.Duration) bool {
	return m.timedOut || !m.firstStarted.IsZero() && !now.Before(m.firstStarted.Add(limit))
}

// goesOn says whether a movie past its time limit is only waiting for a slot, because it gave its slot to another account. Such a
// movie is stopped at twice the limit, as if it had kept the slot.
func (m *Movie) goesOn(now time.Time, limit time.Duration) bool {
	return !m.claimed && m.shared && now.Before(m.firstStarted.Add(2*limit))
}

// failure returns the event that closes the movie without video.
func (m *Movie) failure(worker, message string, now time.Time) RenderFinished {
	return RenderFinished{Attempt: m.claim.Number, Worker: worker, At: now, Message: message}
}

// ReleaseRender hands the claim back without an outcome; memory says that the kernel killed one of the attempt's programs because
// memory ran out, shared that another account waits for the slot. It returns no event when the claim was handed back before; a
// claim that is not current returns ErrLost. The movie is closed when an attempt that had its process for itself ran out of
// memory: it is the second one to do so. Decision 56.
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
	Message  string // why the render failed
	Plan     *Plan  // nil: the attempt ended before its layout was known
	File     *File  // set on success only
	Warnings []string
	// CacheKey and CachedFrom are those of RenderFinished.
	CacheKey   string
	CachedFrom domain.ProjectID
	// Code, Family and Spent are those of RenderFinished.
	Code, Family string
	Spent        *Spent
}

// complete says whether a success has all fields that a success needs.
func (r Result) complete() bool {
	return r.Plan != nil && r.File != nil && r.Plan.FPSNum > 0 && r.Plan.FPSDen > 0
}

// FinishRender records the outcome of the current attempt; any other attempt returns ErrLost. It returns no event when the
// outcome is recorded already.
//
// A success costs nothing after the time-out, from the cache, or on a counted plan. Its file is discarded if the owner has
// deleted the movie's file before. A failure after the time-out leaves the movie's message as it was. Decision 19.
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
		Success: r.Success, Message: r.Message, Plan: r.Plan, Warnings: r.Warnings, Spent: r.Spent,
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

// Credits is the price of a movie in credits: its started seconds, that is frames ÷ frames per second rounded up, at least 1.
// Decision 28.
func (p Plan) Credits() int64 {
	return max(1, (p.Frames*p.FPSDen+p.FPSNum-1)/p.FPSNum)
}

// TimeOut marks a movie whose first attempt began longer ago than the limit. A marked movie is closed when no worker renders it
// any more (its claim was handed back, though not for another account's movie, or dead is its attempt), or when it has run for
// twice the limit: its status stays timeout. It returns no event when neither is due.
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
