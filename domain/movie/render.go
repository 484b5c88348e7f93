package movie

import (
	"fmt"
	"time"

	"moviola/domain"
)

// What the owner of a movie without video reads. The first is the spec's, the second that of decision 19.
const (
	timeoutMessage   = "Movie took too long to render"
	cancelledMessage = "Movie was cancelled"
	crashedMessage   = "The renderer stopped unexpectedly three times while rendering this movie. Simplify the movie or its assets and submit it again."
	memoryMessage    = "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower resolution, and submit it again."
)

// Claim is the last claim on the render.
func (m *Movie) Claim() Claim { return m.claim }

// FirstStarted is when the first attempt began: zero before it.
func (m *Movie) FirstStarted() time.Time { return m.firstStarted }

// KeepsFile says whether the record names a stored file: nobody but it may be shown, all others of the movie can go.
func (m *Movie) KeepsFile(key string) bool {
	c, closed := m.Closing()
	return closed && !c.FileGone && c.File.Key == key
}

// Start is what a worker knows when it claims a movie.
type Start struct {
	Worker  string
	Dead    int          // the attempt whose worker is known to be dead; 0: none
	Death   domain.Death // how that one failed
	Alone   bool         // no other render or preload item will be in work in the worker's process
	Windows int          // that the attempts before have made
}

// StartRender claims the movie for a worker. It decides nothing when the movie is not there, closed, or claimed by another. A movie that is
// out of time or has crashed its renderers too often is closed instead.
func (m *Movie) StartRender(s Start, now time.Time, limit time.Duration) []domain.Event {
	switch {
	case m.submitted == nil || m.closing != nil || m.held(s.Dead):
		return nil
	case m.outOfTime(now, limit) && !m.goesOn(now, limit):
		return m.TimeOut(s.Worker, s.Dead, now, limit)
	case !m.claimed: // nobody died
		s.Death = domain.Unexplained
	}
	if death, over := m.trial.Over(s.Death, s.Windows); over {
		return []domain.Event{m.failure(s.Worker, gaveUp(death), now)}
	}
	return []domain.Event{RenderStarted{
		Attempt: m.claim.Number + 1, Worker: s.Worker, At: now, Alone: s.Alone, Death: s.Death, Windows: s.Windows,
	}}
}

// held says whether somebody alive has the claim.
func (m *Movie) held(dead int) bool { return m.claimed && m.claim.Number != dead }

// outOfTime says whether the limit has passed since the first attempt began. Restarts and downtime count (decision 19).
func (m *Movie) outOfTime(now time.Time, limit time.Duration) bool {
	return m.timedOut || !m.firstStarted.IsZero() && !now.Before(m.firstStarted.Add(limit))
}

// goesOn says whether a movie that is out of time only waits for a slot, which it has given to another account: it is not stopped before twice
// the limit, as if it had kept it.
func (m *Movie) goesOn(now time.Time, limit time.Duration) bool {
	return !m.claimed && m.shared && now.Before(m.firstStarted.Add(2*limit))
}

// failure closes the movie without video.
func (m *Movie) failure(worker, message string, now time.Time) RenderFinished {
	return RenderFinished{Attempt: m.claim.Number, Worker: worker, At: now, Message: message}
}

// ReleaseRender hands the claim back without an outcome; memory says that the kernel ended one of the attempt's programs for want of
// memory, shared that another account waits for the slot. It decides nothing when that has happened; a claim that is lost is ErrLost. An attempt that had its process for itself and ran out
// of memory closes the movie: it was the second one. Decision 56.
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

// Result is what came of an attempt.
type Result struct {
	Success  bool
	Message  string // why it failed
	Plan     *Plan  // when it was laid out
	File     *File  // on success
	Warnings []string
	// CacheKey and CachedFrom are those of RenderFinished.
	CacheKey   string
	CachedFrom domain.ProjectID
	// Code, Family and Spent are those of RenderFinished.
	Code, Family string
	Spent        *Spent
}

// complete says whether the result has what that of a success has.
func (r Result) complete() bool {
	return r.Plan != nil && r.File != nil && r.Plan.FPSNum > 0 && r.Plan.FPSDen > 0
}

// FinishRender records the outcome of the current attempt: of no other, which is ErrLost. It decides nothing when it is
// recorded already.
//
// A success after the time-out is kept but costs nothing, like one from the cache or on a counted plan; after the owner has
// deleted the file, the new one is not kept. A failure after the time-out leaves the movie's message as it was. Decision 19.
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
	}
	e.File, e.CacheKey, e.CachedFrom = &file, r.CacheKey, r.CachedFrom
	if !m.timedOut && !m.submitted.Counted && r.CachedFrom == "" {
		e.Credits = r.Plan.Credits()
	}
	return []domain.Event{e}, nil
}

// Credits is the price of a movie: its started seconds, frames ÷ frames per second rounded up, at least 1. Decision 28.
func (p Plan) Credits() int64 {
	return max(1, (p.Frames*p.FPSDen+p.FPSNum-1)/p.FPSNum)
}

// TimeOut marks a movie whose first attempt began longer ago than the limit. A marked movie that nobody renders any more (its
// claim was handed back, but not for another account's movie, or dead is its attempt) or that has run for twice the limit is closed: its status stays timeout. It
// decides nothing when neither is due.
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
