package ledgers

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// HoldBatch holds the credits for all rows of a batch or, on a counted plan, counts a movie for each row.
type HoldBatch struct {
	Account domain.AccountID
	Batch   domain.BatchID
	Rows    []ledger.BatchRow
	Counted bool
	Quota   ledger.Quota // quota of the account's plan, when Counted is true
}

// HoldBatch holds the credits for all rows in one append or, on a counted plan, counts all rows. It skips rows that have a
// hold or count already. When it refuses, it refuses the whole batch, with the refusals of Hold or Count. It is idempotent.
func (l *Ledgers) HoldBatch(ctx context.Context, cmd HoldBatch) (eventstore.Appended, error) {
	request := &ledgerRequest{ctx: ctx, events: len(cmd.Rows),
		decide: func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
			if cmd.Counted {
				return own.CountBatch(cmd.Batch, cmd.Rows, cmd.Quota, at)
			}
			return own.HoldBatch(cmd.Batch, cmd.Rows, at)
		}}
	a := l.send(cmd.Account, request)
	return a.appended, a.err
}
