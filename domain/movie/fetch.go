package movie

import (
	"time"

	"moviola/domain"
)

// Fetching returns the state of fetching the movie's sources.
func (m *Movie) Fetching() domain.Fetching { return m.fetching }

// Fetches reports whether the movie's sources may still be fetched: the movie is not closed, no render has begun, and sources
// are missing.
func (m *Movie) Fetches() bool {
	return m.submitted != nil && m.closing == nil && m.firstStarted.IsZero() && !m.fetching.Done()
}

// StartFetch claims the fetching of the movie's sources for a worker. It returns no event when there is nothing to fetch, or a
// live worker has the claim. A movie whose sources have crashed their workers too often is closed instead. Decisions 54 and 56.
func (m *Movie) StartFetch(s domain.FetchStart, now time.Time) []domain.Event {
	if !m.Fetches() || m.fetching.Held(s.Dead) {
		return nil
	}
	last, claimed := m.fetching.Claim()
	if !claimed { // without an open claim, no worker has died
		s.Death = domain.Unexplained
	}
	if death, over := m.fetching.Over(s.Death); over {
		return []domain.Event{m.failure(s.Worker, gaveUp(death), now)}
	}
	return []domain.Event{SourcesFetchStarted{Attempt: last.Attempt + 1, Worker: s.Worker, At: now, Alone: s.Alone, Death: s.Death}}
}

// ReleaseFetch releases the claim. memory reports whether the kernel killed one of the attempt's programs because memory ran
// out. ReleaseFetch returns no event when the claim was released before; for a claim that is not current the error is ErrLost.
// It closes the movie when an attempt that was the only work in its process ran out of memory.
func (m *Movie) ReleaseFetch(c domain.FetchClaim, memory bool, now time.Time) ([]domain.Event, error) {
	last, claimed := m.fetching.Claim()
	switch {
	case !m.Fetches() || last != c:
		return nil, ErrLost
	case !claimed:
		return nil, nil
	case memory && m.fetching.Alone():
		return []domain.Event{m.failure(c.Worker, memoryMessage, now)}, nil
	}
	return []domain.Event{SourcesFetchReleased{Attempt: c.Attempt, Worker: c.Worker, At: now, Memory: memory}}, nil
}

// FinishFetch records that all sources are available or, with a message, closes the movie because they cannot be fetched. For
// a claim that is not current the error is ErrLost. A worker that finds all sources available needs no claim and passes the
// zero claim.
func (m *Movie) FinishFetch(c domain.FetchClaim, worker, message string, now time.Time) ([]domain.Event, error) {
	last, claimed := m.fetching.Claim()
	switch {
	case !m.Fetches():
		return nil, ErrLost
	case c == domain.FetchClaim{} && claimed, c != domain.FetchClaim{} && (!claimed || last != c):
		return nil, ErrLost
	case message != "":
		return []domain.Event{m.failure(worker, message, now)}, nil
	}
	return []domain.Event{SourcesFetched{Attempt: c.Attempt, Worker: worker, At: now}}, nil
}

// gaveUp returns the message to the owner of a movie whose workers have died too often.
func gaveUp(death domain.Death) string {
	if death == domain.OutOfMemory {
		return memoryMessage
	}
	return crashedMessage
}
