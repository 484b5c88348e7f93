package ledgers

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// HoldItems holds credits for the items of a preload batch, for all or for none. Decision 38.
type HoldItems struct {
	Account domain.AccountID
	Preload domain.PreloadID
	Items   []ledger.ItemAmount // items of the batch; some may cost nothing
}

// SettleItem names the item of a preload batch whose hold is to end.
type SettleItem struct {
	Account domain.AccountID
	Preload domain.PreloadID
	Number  int    // index of the item in the batch, from 0
	Reason  string // why the credits are released: failed, cached, abandoned; not used by ChargeItem
}

// HoldItems holds credits for each item that costs something, in one append. When too few credits are available, it refuses
// with PaymentRequired (402), and for a closed account with Forbidden (403). It is idempotent; an item whose hold has ended
// is ledger.ErrHoldEnded. For a batch that costs nothing it appends nothing.
func (l *Ledgers) HoldItems(ctx context.Context, cmd HoldItems) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.HoldItems(cmd.Preload, cmd.Items, at)
	})
}

// ChargeItem charges the hold of a generated item. It is idempotent; a released hold is ledger.ErrHoldEnded, an item without a
// hold ledger.ErrNoHold.
func (l *Ledgers) ChargeItem(ctx context.Context, cmd SettleItem) (eventstore.Appended, error) {
	return l.Charge(ctx, Charge{Account: cmd.Account, Project: ledger.Item(cmd.Preload, cmd.Number)})
}

// ReleaseItem releases the hold of an item. It is idempotent, and does nothing for an item without a hold; a charged hold is
// ledger.ErrHoldEnded.
func (l *Ledgers) ReleaseItem(ctx context.Context, cmd SettleItem) (eventstore.Appended, error) {
	return l.Release(ctx, Release{Account: cmd.Account, Project: ledger.Item(cmd.Preload, cmd.Number), Reason: cmd.Reason})
}

// OpenItem returns when the hold of an item was made; false when the item has no open hold.
func (l *Ledgers) OpenItem(
	ctx context.Context, account domain.AccountID, preload domain.PreloadID, number int,
) (time.Time, bool, error) {
	return l.OpenHold(ctx, account, ledger.Item(preload, number))
}
