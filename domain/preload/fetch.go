package preload

import (
	"time"

	"moviola/domain"
)

// Fetching returns the state of fetching the files that an item names. The item must exist.
func (b *Preload) Fetching(index int) domain.Fetching { return b.items[index].fetching }

// Fetches reports whether files that an item names may still be fetched: the item has no result, no worker has
// begun to prepare it, and files are missing.
func (b *Preload) Fetches(index int) bool {
	result, known := b.Result(index)
	return known && result == nil && !b.items[index].started && !b.items[index].fetching.Done()
}

// StartFetch claims the fetching of an item's files for a worker. It returns no event when there is nothing to fetch, or a live
// worker has the claim. An item whose files have crashed their workers too often ends with an error. Decisions 54 and 56.
func (b *Preload) StartFetch(index int, s domain.FetchStart, now time.Time) []domain.Event {
	if !b.Fetches(index) || b.items[index].fetching.Held(s.Dead) {
		return nil
	}
	fetching := b.items[index].fetching
	last, claimed := fetching.Claim()
	if !claimed { // without an open claim, no worker has died
		s.Death = domain.Unexplained
	}
	if death, over := fetching.Over(s.Death); over {
		return b.failure(index, s.Worker, gaveUp(death), now)
	}
	return []domain.Event{ItemFetchStarted{Index: index, Attempt: last.Attempt + 1, Worker: s.Worker, At: now, Alone: s.Alone,
		Death: s.Death}}
}

// ReleaseFetch releases a claim on the fetching of an item's files. For a claim that is not current the error is ErrLost. memory
// reports whether the kernel killed one of the attempt's programs because memory ran out. If memory is true and the attempt was
// the only work in its process, ReleaseFetch ends the item.
func (b *Preload) ReleaseFetch(index int, c domain.FetchClaim, memory bool, now time.Time) ([]domain.Event, error) {
	if !b.Fetches(index) {
		return nil, ErrLost
	}
	fetching := b.items[index].fetching
	last, claimed := fetching.Claim()
	switch {
	case last != c:
		return nil, ErrLost
	case !claimed:
		return nil, nil
	case memory && fetching.Alone():
		return b.failure(index, c.Worker, memoryMessage, now), nil
	}
	return []domain.Event{ItemFetchReleased{Index: index, Attempt: c.Attempt, Worker: c.Worker, At: now, Memory: memory}}, nil
}

// FinishFetch records that all files are available or, with a message, ends the item. For a claim that is not current the
// error is ErrLost. A worker that finds all files available needs no claim and passes the zero claim.
func (b *Preload) FinishFetch(index int, c domain.FetchClaim, worker, message string, now time.Time) ([]domain.Event, error) {
	if !b.Fetches(index) {
		return nil, ErrLost
	}
	fetching := b.items[index].fetching
	switch last, claimed := fetching.Claim(); {
	case c == domain.FetchClaim{} && claimed, c != domain.FetchClaim{} && (!claimed || last != c):
		return nil, ErrLost
	case message != "":
		return b.failure(index, worker, message, now), nil
	}
	return []domain.Event{ItemFetched{Index: index, Attempt: c.Attempt, Worker: worker, At: now}}, nil
}

// failure ends an item with an error.
func (b *Preload) failure(index int, worker, message string, now time.Time) []domain.Event {
	return b.closing(ItemFinished{
		Index: index, Attempt: b.items[index].claim.Attempt, Worker: worker, Result: Result{Error: domain.Brief(message)}, At: now,
	})
}

// gaveUp returns the message to the owner of an item whose workers have died too often.
func gaveUp(death domain.Death) string {
	if death == domain.OutOfMemory {
		return memoryMessage
	}
	return crashedMessage
}
