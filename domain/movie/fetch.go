package movie

import (
	"time"

	"moviola/domain"
)

// Fetching is how far the movie's sources have come.
func (m *Movie) Fetching() domain.Fetching { return m.fetching }

// Fetches says whether the movie's sources may still be fetched: it is neither closed nor rendered, and they are not at hand.
func (m *Movie) Fetches() bool {
	return m.submitted != nil && m.closing == nil && m.firstStarted.IsZero() && !m.fetching.Done()
}

// StartFetch claims the fetching of the movie's sources for a worker. It decides nothing when there is nothing to fetch, or somebody alive has
// the claim. A movie whose sources have crashed their workers too often is closed instead. Decisions 54 and 56.
func (m *Movie) StartFetch(s domain.FetchStart, now time.Time) []domain.Event {
	if !m.Fetches() || m.fetching.Held(s.Dead) {
		return nil
	}
	last, claimed := m.fetching.Claim()
	if !claimed { // nobody died
		s.Death = domain.Unexplained
	}
	if death, over := m.fetching.Over(s.Death); over {
		return []domain.Event{m.failure(s.Worker, gaveUp(death), now)}
	}
	return []domain.Event{SourcesFetchStarted{Attempt: last.Attempt + 1, Worker: s.Worker, At: now, Alone: s.Alone, Death: s.Death}}
}

// ReleaseFetch hands the claim back; memory says that the kernel ended one of the attempt's programs for want of memory. It decides nothing
// when that has happened; a lost claim is ErrLost. An attempt that had its process for itself and ran out of memory closes the movie.
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

// FinishFetch records that the sources are at hand or, with a message, closes the movie, for they cannot be had. A claim that is lost is
// ErrLost. The zero claim is that of a worker which has found them all at hand and needs none.
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

// gaveUp is what the owner reads of a movie whose workers have died too often.
func gaveUp(death domain.Death) string {
	if death == domain.OutOfMemory {
		return memoryMessage
	}
	return crashedMessage
}
