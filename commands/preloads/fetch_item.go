package preloads

import (
	"context"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/preload"
)

// ItemOf names an item of a preload batch.
type ItemOf struct {
	Preload preload.ID
	Index   int
}

// WantedFiles returns the sources to fetch for an item, without claiming the item. ErrNothingToDo: there are no sources to fetch,
// or a worker has claimed the fetching.
func (h PreloadItems) WantedFiles(ctx context.Context, item ItemOf) (commands.FetchClaim, error) {
	b, err := h.batches.load(ctx, item.Preload)
	if err != nil || !b.Fetches(item.Index) {
		return commands.FetchClaim{}, orNothing(err)
	}
	fetching := b.Fetching(item.Index)
	if _, claimed := fetching.Claim(); claimed {
		return commands.FetchClaim{}, commands.ErrNothingToDo
	}
	return h.claimOf(ctx, item, b)
}

func orNothing(err error) error {
	if err == nil {
		return commands.ErrNothingToDo
	}
	return err
}

func (h PreloadItems) claimOf(ctx context.Context, item ItemOf, b *preload.Preload) (commands.FetchClaim, error) {
	requested, _ := b.Requested()
	fetching := b.Fetching(item.Index)
	claim := commands.FetchClaim{Account: requested.Account, Fetch: commands.Fetch{Since: fetching.First(), Spent: fetching.Spent()}}
	if last, claimed := fetching.Claim(); claimed {
		claim.FetchClaim = last
	}
	claim.Item = preload.Wanted{Item: requested.Items[item.Index]}
	var err error
	claim.Item.Properties, err = h.properties(ctx, item.Preload, requested, item.Index)
	return claim, err
}

// StartFetch claims the fetching of an item's sources. ErrNothingToDo: there is nothing to fetch, another worker has the claim,
// or StartFetch has just ended the item, after three crashes.
func (h PreloadItems) StartFetch(ctx context.Context, item ItemOf, start domain.FetchStart) (commands.FetchClaim, error) {
	d, err := h.batches.decide(ctx, "", item.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.StartFetch(item.Index, start, h.batches.now.Stamp()), nil
	})
	if err != nil {
		return commands.FetchClaim{}, err
	}
	if _, ok := d.events[0].(preload.ItemFetchStarted); !ok {
		return commands.FetchClaim{}, commands.ErrNothingToDo
	}
	return h.claimOf(ctx, item, d.Preload)
}

// ReleaseFetch hands back a claim on the fetching of an item's sources, before all of them are fetched. memory reports
// whether the kernel ended a program of this attempt because memory ran out. If memory is true and the attempt was the
// only work in its process, ReleaseFetch ends the item with an error. It returns ErrNothingToDo when the claim is lost.
func (h PreloadItems) ReleaseFetch(ctx context.Context, item ItemOf, claim domain.FetchClaim, memory bool) error {
	_, err := h.batches.decide(ctx, "", item.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.ReleaseFetch(item.Index, claim, memory, h.batches.now.Stamp())
	})
	return err
}

// FinishFetch records that the item's sources are fetched. If message is not empty, they cannot be fetched, and FinishFetch ends
// the item. ErrNothingToDo: the claim is lost.
func (h PreloadItems) FinishFetch(ctx context.Context, item ItemOf, claim domain.FetchClaim, worker, message string) error {
	_, err := h.batches.decide(ctx, "", item.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.FinishFetch(item.Index, claim, worker, message, h.batches.now.Stamp())
	})
	return err
}
