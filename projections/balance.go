package projections

import (
	"time"

	"moviola/domain/ledger"
)

// Balance is the read model of one account's ledger, in whole credits. Its id is the account's id. No decision about spending
// uses it: commands fold the ledger itself.
type Balance struct {
	Account  string `json:"account"`
	Revision int64  `json:"revision"` // revision of the last event of the ledger that was folded in
	Granted  int64  `json:"granted"`  // credits ever granted
	Charged  int64  `json:"charged"`  // credits ever charged
	Held     int64  `json:"held"`     // credits held for movies and items, neither charged nor released yet
	Balance  int64  `json:"balance"`  // granted − charged
	// Available is how many credits can be held: balance − held.
	Available int64 `json:"available"`
	// Period is the last calendar month (UTC, as 2026-11) in which a movie or draft was counted on a counted plan. Movies
	// and Drafts are the counts of that month, those still in progress included.
	Period string `json:"period"`
	Movies int64  `json:"movies"`
	Drafts int64  `json:"drafts"`
	// Closed is true when the ledger is closed: nothing can be held, counted or granted any more.
	Closed bool `json:"closed"`
}

// UsedIn returns the movies and drafts counted in the month of t.
func (b Balance) UsedIn(t time.Time) (movies, drafts int64) {
	if b.Period != ledger.Period(t) {
		return 0, 0
	}
	return b.Movies, b.Drafts
}

// counted adds to the counts of a period. Only the latest period is kept: no query asks for earlier ones.
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
	modelName: "balances", modelShape: 4, oldShape: 3, category: ledger.StreamCategory,
	revision: func(b *Balance) *int64 { return &b.Revision },
	fold:     foldBalance,
}
