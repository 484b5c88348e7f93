// Package preload holds batches of assets that are prepared before a render: which items may be requested, which worker prepares
// which item, and when a batch is finished. Spec: Preload batch; decisions 38, 46 and 47.
package preload

import (
	"errors"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// ID names a batch: 16 characters of [A-Za-z0-9].
type ID = domain.PreloadID

// idLength is the length of an id in code points. Decision 7.
const idLength = 16

// ParseID accepts any text of 16 code points. A text with other characters than [A-Za-z0-9] is accepted, but no batch has
// that id.
func ParseID(s string) (ID, bool) { return ID(s), utf8.RuneCountInString(s) == idLength }

// MaxItems is the maximum number of items of a batch. Spec: Limits.
const MaxItems = 10

// The messages to the owner of an item whose workers crashed or ran out of memory.
const (
	crashedMessage = "The preparation stopped unexpectedly three times. Simplify the item and request it again."
	memoryMessage  = "Preparing this item takes more memory than there is. Use a smaller source and request it again."
)

// ErrLost says that the caller does not hold the claim on an item, or no longer holds it.
var ErrLost = errors.New("the claim on the item is lost")

// Claim is a worker's claim on one item.
type Claim struct {
	Index   int
	Attempt int
	Worker  string
}

// Preload is one batch of assets.
type Preload struct {
	requested *Requested
	items     []state
	finished  bool
}

// state is the state of one item.
type state struct {
	claim    Claim
	claimed  bool
	trial    domain.Trial
	started  bool // a worker has claimed the item at least once
	fetching domain.Fetching
	result   *Result
}

// New returns a preload batch without events.
func New() *Preload { return &Preload{} }

// Apply folds one event of the preload batch's stream.
func (b *Preload) Apply(event domain.Event) {
	switch e := event.(type) {
	case Requested:
		b.requested, b.items = &e, make([]state, len(e.Items))
	case ItemFetchStarted:
		b.items[e.Index].fetching.Begin(domain.FetchClaim{Attempt: e.Attempt, Worker: e.Worker}, e.Alone, e.Death, e.At)
	case ItemFetchReleased:
		b.items[e.Index].fetching.Release(e.At)
	case ItemFetched:
		b.items[e.Index].fetching.Finish()
	case ItemStarted:
		item := &b.items[e.Index]
		item.started = true
		item.trial.Begin(e.Alone, e.Death, 0)
		item.claim, item.claimed = Claim{Index: e.Index, Attempt: e.Attempt, Worker: e.Worker}, true
	case ItemReleased:
		b.items[e.Index].claimed = false
	case ItemFinished:
		b.items[e.Index].claimed = false
		b.items[e.Index].result = &e.Result
	case Finished:
		b.finished = true
	}
}

// Requested returns the request of the batch. It returns false before the request.
func (b *Preload) Requested() (Requested, bool) {
	if b.requested == nil {
		return Requested{}, false
	}
	return *b.requested, true
}

// Request begins a batch. The caller has checked its items.
func (b *Preload) Request(r Requested) ([]domain.Event, error) {
	if b.requested != nil || b.finished {
		return nil, domain.Errorf(domain.Conflict, "preload_exists", "This preload already exists")
	}
	return []domain.Event{r}, nil
}

// Abandon closes a batch that was never requested, so that it cannot be requested any more. It returns no event when the batch
// has events.
func (b *Preload) Abandon(now time.Time) []domain.Event {
	if b.requested != nil || b.finished {
		return nil
	}
	return []domain.Event{Finished{At: now}}
}

// Result returns the result of an item, or nil while it has none, and reports whether the item exists.
func (b *Preload) Result(index int) (*Result, bool) {
	if index < 0 || index >= len(b.items) {
		return nil, false
	}
	return b.items[index].result, true
}

// Start is what a worker states when it claims an item.
type Start struct {
	Worker string
	Dead   int          // number of the attempt whose worker is known to be dead; 0: none
	Death  domain.Death // cause of death of the worker whose attempt the field Dead names; empty: unknown
	Alone  bool         // the worker's process will do no other render or preload item
}

// Start claims an item for a worker. It returns no event when the item does not exist, has a result, or is held by a live worker.
// An item that has crashed its workers too often ends with an error. Decision 56.
func (b *Preload) Start(index int, s Start, now time.Time) []domain.Event {
	result, known := b.Result(index)
	if !known || result != nil {
		return nil
	}
	item := b.items[index]
	if item.claimed && item.claim.Attempt != s.Dead {
		return nil
	}
	if !item.claimed { // without an open claim, no worker has died
		s.Death = domain.Unexplained
	}
	if death, over := item.trial.Over(s.Death, 0); over {
		return b.failure(index, s.Worker, gaveUp(death), now)
	}
	return []domain.Event{ItemStarted{
		Index: index, Attempt: item.claim.Attempt + 1, Worker: s.Worker, At: now, Alone: s.Alone, Death: s.Death,
	}}
}

// Release releases a claim. memory reports whether the kernel killed one of the attempt's programs because memory ran out.
// Release returns no event when the claim was released before; for a claim that is not current the error is ErrLost. It ends
// the item when an attempt that was the only work in its process ran out of memory.
func (b *Preload) Release(c Claim, memory bool, now time.Time) ([]domain.Event, error) {
	result, known := b.Result(c.Index)
	switch {
	case !known || result != nil || b.items[c.Index].claim != c:
		return nil, ErrLost
	case !b.items[c.Index].claimed:
		return nil, nil
	}
	if memory && b.items[c.Index].trial.Alone() {
		return b.closing(ItemFinished{Index: c.Index, Attempt: c.Attempt, Worker: c.Worker,
			Result: Result{Error: memoryMessage}, At: now}), nil
	}
	return []domain.Event{ItemReleased{Index: c.Index, Attempt: c.Attempt, Worker: c.Worker, At: now, Memory: memory}}, nil
}

// Finish records the result of an item; the last result closes the batch. It returns no event when the item has a
// result already; for a claim that is not current the error is ErrLost.
func (b *Preload) Finish(c Claim, r Result, now time.Time) ([]domain.Event, error) {
	result, known := b.Result(c.Index)
	switch {
	case !known || b.items[c.Index].claim != c || result == nil && !b.items[c.Index].claimed:
		return nil, ErrLost
	case result != nil:
		return nil, nil
	}
	r.Error = domain.Brief(r.Error)
	return b.closing(ItemFinished{Index: c.Index, Attempt: c.Attempt, Worker: c.Worker, Result: r, At: now}), nil
}

// closing returns the event that ends an item, followed by the event that ends the batch if no other item is open.
func (b *Preload) closing(end ItemFinished) []domain.Event {
	events := []domain.Event{end}
	for i, item := range b.items {
		if i != end.Index && item.result == nil {
			return events
		}
	}
	return append(events, Finished{At: end.At})
}
