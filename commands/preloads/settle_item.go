package preloads

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// SettlePreloadItem ends the hold of an item that has a result.
type SettlePreloadItem struct {
	Account domain.AccountID
	Preload preload.ID
	Index   int
}

// SettleItemHandler handles SettlePreloadItem, also for holds whose batch was never requested.
type SettleItemHandler struct {
	batches preloadStreams
	ledgers *ledgers.Ledgers
	files   commands.Files
	age     time.Duration
}

// NewSettleItemHandler returns a handler. A hold without a batch counts as abandoned when it is older than age. age is longer
// than a request may take from the hold until the batch is appended.
func NewSettleItemHandler(
	log *eventstore.Log, ledgers *ledgers.Ledgers, files commands.Files, now func() time.Time, age time.Duration,
) SettleItemHandler {
	return SettleItemHandler{batches: preloadStreams{log, now}, ledgers: ledgers, files: files, age: age}
}

// Handle ends the hold of a preload item that has a result. For a generated item it charges the price, but not more than
// is held; for any other item it releases the hold. Decision 38. When the batch of the item was never requested (the
// request ended after it had made the hold), Handle closes the batch and releases a hold that is older than age. Handle
// is idempotent. It returns ErrNothingToDo when the batch was requested and the item has no result yet, or when the batch
// was never requested and the hold has ended or is younger than age.
func (h SettleItemHandler) Handle(ctx context.Context, cmd SettlePreloadItem) error {
	b := preload.New()
	none := eventstore.Appended{Revision: eventstore.NoStream}
	if _, err := h.batches.log.CatchUp(ctx, preload.Stream(cmd.Preload), none, b.Apply); err != nil {
		return fmt.Errorf("load preload %s: %w", cmd.Preload, err)
	}
	settle := ledgers.SettleItem{Account: cmd.Account, Preload: cmd.Preload, Number: cmd.Index}
	result, known := b.Result(cmd.Index)
	switch {
	case !known:
		return h.abandon(ctx, cmd, settle)
	case result == nil:
		return commands.ErrNothingToDo
	}
	requested, _ := b.Requested()
	// Results in the log may have a price above their hold: former versions took the prices of the time of the preparation.
	if credits := min(result.Credits, requested.Items[cmd.Index].Held); credits > 0 {
		return h.charge(ctx, settle, credits)
	}
	settle.Reason = "failed"
	if result.Error == "" {
		settle.Reason = ledger.Cached
	}
	return h.release(ctx, settle)
}

// charge changes the hold of an item to credits, its price, and charges the hold.
func (h SettleItemHandler) charge(ctx context.Context, settle ledgers.SettleItem, credits int64) error {
	subject := ledger.Item(settle.Preload, settle.Number)
	_, err := h.ledgers.ChangeHold(ctx, ledgers.ChangeHold{Account: settle.Account, Project: subject, Attempt: 1, Amount: credits})
	if err == nil || errors.Is(err, ledger.ErrHoldEnded) {
		_, err = h.ledgers.ChargeItem(ctx, settle)
	}
	if err != nil && !errors.Is(err, ledger.ErrHoldEnded) {
		return fmt.Errorf("charge item %d of preload %s: %w", settle.Number, settle.Preload, err)
	}
	return h.ledgers.Snapshot(ctx, settle.Account)
}

func (h SettleItemHandler) release(ctx context.Context, settle ledgers.SettleItem) error {
	if _, err := h.ledgers.ReleaseItem(ctx, settle); err != nil && !errors.Is(err, ledger.ErrHoldEnded) {
		return fmt.Errorf("release item %d of preload %s: %w", settle.Number, settle.Preload, err)
	}
	return h.ledgers.Snapshot(ctx, settle.Account)
}

// abandon releases the hold of a batch whose request was never appended. It first closes the batch, so that the request
// can no longer be appended.
func (h SettleItemHandler) abandon(ctx context.Context, cmd SettlePreloadItem, settle ledgers.SettleItem) error {
	held, open, err := h.ledgers.OpenItem(ctx, cmd.Account, cmd.Preload, cmd.Index)
	if err != nil {
		return fmt.Errorf("look for the hold of item %d of preload %s: %w", cmd.Index, cmd.Preload, err)
	}
	if !open || h.batches.now.Stamp().Before(held.Add(h.age)) {
		return commands.ErrNothingToDo
	}
	d, err := h.batches.decide(ctx, cmd.Account, cmd.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.Abandon(h.batches.now.Stamp()), nil
	})
	if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	if _, came := d.Requested(); came { // the request was appended meanwhile: the batch keeps its document and its hold
		return fmt.Errorf("load preload %s: %w", cmd.Preload, commands.ErrUnseen)
	}
	if err := h.files.Delete(ctx, blobkey.Request(cmd.Account, cmd.Preload)); err != nil {
		return fmt.Errorf("delete the document of preload %s: %w", cmd.Preload, err)
	}
	settle.Reason = "abandoned"
	return h.release(ctx, settle)
}
