package preloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// StartItem claims an item of a preload batch for a worker.
type StartItem struct {
	Preload preload.ID
	Index   int
	Worker  string
	Dead    int // number of the attempt whose worker is known to be dead; 0: none
	Death   domain.Death
	Alone   bool // the process runs no render and no other preload item at the same time
}

// ItemClaim is a claim on an item, with the properties of the item.
type ItemClaim struct {
	preload.Claim
	Account domain.AccountID
	Item    preload.Wanted
	// FetchedSince is when the sources of the item were first requested. A source with "cache": false is used from the
	// cache only if it was downloaded since then. Zero: it is not used from the cache.
	FetchedSince time.Time
	// Requested is when the batch was requested.
	Requested time.Time
}

// FinishItem records how the preparation of an item ended.
type FinishItem struct {
	Preload preload.ID
	Claim   preload.Claim
	Result  preload.Result
}

// PreloadItems handles all commands on items of preload batches.
type PreloadItems struct {
	batches preloadStreams
	files   commands.Files
}

// NewPreloadItems returns a handler.
func NewPreloadItems(log *eventstore.Log, files commands.Files, now func() time.Time) PreloadItems {
	return PreloadItems{batches: preloadStreams{log, now}, files: files}
}

// Start claims the item. ErrNothingToDo: the item does not exist, has a result, is claimed by another worker, or Start has just
// ended it, after three crashes.
func (h PreloadItems) Start(ctx context.Context, cmd StartItem) (ItemClaim, error) {
	d, err := h.batches.decide(ctx, "", cmd.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		start := preload.Start{Worker: cmd.Worker, Dead: cmd.Dead, Death: cmd.Death, Alone: cmd.Alone}
		return b.Start(cmd.Index, start, h.batches.now.Stamp()), nil
	})
	if err != nil {
		return ItemClaim{}, err
	}
	started, ok := d.events[0].(preload.ItemStarted)
	if !ok {
		return ItemClaim{}, commands.ErrNothingToDo
	}
	requested, _ := d.Requested()
	claim := ItemClaim{
		Claim:   preload.Claim{Index: started.Index, Attempt: started.Attempt, Worker: started.Worker},
		Account: requested.Account, Requested: requested.At, Item: preload.Wanted{Item: requested.Items[cmd.Index]},
	}
	fetching := d.Fetching(cmd.Index)
	claim.FetchedSince = fetching.First()
	claim.Item.Properties, err = h.properties(ctx, cmd.Preload, requested, cmd.Index)
	return claim, err
}

// properties reads the properties of an item from the stored document.
func (h PreloadItems) properties(ctx context.Context, id preload.ID, r preload.Requested, index int) (map[string]any, error) {
	document, err := commands.ReadFile(ctx, h.files, blobkey.Request(r.Account, id))
	if err != nil {
		return nil, fmt.Errorf("read the document of preload %s: %w", id, err)
	}
	if sum := sha256.Sum256(document); hex.EncodeToString(sum[:]) != r.DocumentHash {
		return nil, fmt.Errorf("read the document of preload %s: it is not the one that was stored", id)
	}
	wanted, err := preload.ParseRequest(document)
	if err != nil {
		return nil, fmt.Errorf("read item %d of preload %s: %w", index, id, err)
	}
	if index >= len(wanted) {
		return nil, fmt.Errorf("read item %d of preload %s: its document has %d items", index, id, len(wanted))
	}
	return wanted[index].Properties, nil
}

// Release hands back the claim on an item that has no result yet. memory reports whether the kernel ended a program of
// this attempt because memory ran out. If memory is true and the attempt was the only work in its process, Release ends
// the item with an error.
func (h PreloadItems) Release(ctx context.Context, id preload.ID, claim preload.Claim, memory bool) error {
	_, err := h.batches.decide(ctx, "", id, func(b *preload.Preload) ([]domain.Event, error) {
		return b.Release(claim, memory, h.batches.now.Stamp())
	})
	return err
}

// Finish records the result of an item. The result of a batch's last item closes the batch. ErrNothingToDo: the claim is
// lost, or the result was recorded before.
func (h PreloadItems) Finish(ctx context.Context, cmd FinishItem) error {
	_, err := h.batches.decide(ctx, "", cmd.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.Finish(cmd.Claim, cmd.Result, h.batches.now.Stamp())
	})
	return err
}
