package ledgers

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// HoldItems sets credits aside for the items of a preload batch, all or none. Decision 38.
type HoldItems struct {
	Account domain.AccountID
	Preload domain.PreloadID
	Items   []ledger.ItemAmount // those that cost nothing may be among them
}

// SettleItem names one item of a preload batch whose hold ends.
type SettleItem struct {
	Account domain.AccountID
	Preload domain.PreloadID
	Number  int    // the item's place in the batch, from 0
	Reason  string // why it is given back: failed, cached, abandoned; of no meaning when it is charged
}

// HoldItems holds credits for each item that costs something, in one append, or refuses with PaymentRequired (402) when more are
// needed than available. Doing it again changes nothing; an item whose hold has ended is ledger.ErrHoldEnded. A batch that
// costs nothing appends nothing.
func (l *Ledgers) HoldItems(ctx context.Context, cmd HoldItems) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.HoldItems(cmd.Preload, cmd.Items, at)
	})
}

// ChargeItem spends the hold of an item that was generated. Doing it again changes nothing; a hold that was released is
// ledger.ErrHoldEnded, and an item that nothing was held for ledger.ErrNoHold.
func (l *Ledgers) ChargeItem(ctx context.Context, cmd SettleItem) (eventstore.Appended, error) {
	return l.Charge(ctx, Charge{Account: cmd.Account, Project: ledger.Item(cmd.Preload, cmd.Number)})
}

// ReleaseItem gives the hold of an item back. Doing it again, or for an item that nothing was held for, changes nothing; a hold
// that was charged is ledger.ErrHoldEnded.
func (l *Ledgers) ReleaseItem(ctx context.Context, cmd SettleItem) (eventstore.Appended, error) {
	return l.Release(ctx, Release{Account: cmd.Account, Project: ledger.Item(cmd.Preload, cmd.Number), Reason: cmd.Reason})
}

// OpenItem returns when the hold of an item was made: false when it has none that is open.
func (l *Ledgers) OpenItem(
	ctx context.Context, account domain.AccountID, preload domain.PreloadID, number int,
) (time.Time, bool, error) {
	return l.OpenHold(ctx, account, ledger.Item(preload, number))
}
