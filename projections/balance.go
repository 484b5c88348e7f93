package projections

import (
	"time"

	"moviola/domain/ledger"
)

// Balance is the read model of one account's ledger, in whole credits. Its id is the account's. No spending is decided on it.
type Balance struct {
	Account  string `json:"account"`
	Revision int64  `json:"revision"` // of the last event of the ledger folded in
	Granted  int64  `json:"granted"`  // ever
	Charged  int64  `json:"charged"`  // ever
	Held     int64  `json:"held"`     // by movies that have no outcome yet
	Balance  int64  `json:"balance"`  // granted − charged
	// Available is what can be held: balance − held.
	Available int64 `json:"available"`
	// Period is the last calendar month (UTC, 2026-11) in which anything was counted, on a counted plan; Movies and Drafts
	// are how many that month, those included that are still being made.
	Period string `json:"period"`
	Movies int64  `json:"movies"`
	Drafts int64  `json:"drafts"`
	// Closed says that nothing is held, counted or granted any more.
	Closed bool `json:"closed"`
}

// UsedIn is what a counted plan has had in the month of a time.
func (b Balance) UsedIn(t time.Time) (movies, drafts int64) {
	if b.Period != ledger.Period(t) {
		return 0, 0
	}
	return b.Movies, b.Drafts
}

// counted adds to what was counted for a period. Only the last period is kept: nobody asks for another.
func (b Balance) counted(period string, movies, drafts int64) Balance {
	if period > b.Period {
		b.Period, b.Movies, b.Drafts = period, 0, 0
	}
	if period == b.Period {
		b.Movies += movies
		b.Drafts += drafts
	}
	return b
}

// foldBalance applies one event of a ledger.
func foldBalance(b Balance, e Event) Balance {
	b.Account = e.ID
	switch d := e.Data.(type) {
	case ledger.CreditsGranted:
		b.Granted += d.Amount
	case ledger.CreditsHeld:
		b.Held += d.Amount
	case ledger.CreditsHoldChanged:
		b.Held += d.Amount - d.Before
	case ledger.CreditsCharged:
		b.Held -= d.Amount
		b.Charged += d.Amount
	case ledger.CreditsReleased:
		b.Held -= d.Amount
	case ledger.MovieCounted:
		b = b.counted(d.Period, 1, 0)
	case ledger.DraftCounted:
		b = b.counted(d.Period, 0, 1)
	case ledger.CountReleased:
		if d.Draft {
			b = b.counted(d.Period, 0, -1)
		} else {
			b = b.counted(d.Period, -1, 0)
		}
	case ledger.Closed:
		b.Closed = true
	}
	b.Balance = b.Granted - b.Charged
	b.Available = b.Balance - b.Held
	return b
}

var balanceModel = streamModel[Balance]{
	modelName: "balances", modelShape: 3, category: ledger.StreamCategory,
	revision: func(b *Balance) *int64 { return &b.Revision },
	fold:     foldBalance,
}
