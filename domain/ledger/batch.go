package ledger

import (
	"time"

	"moviola/domain"
)

// BatchRow is the price of one row of a batch.
type BatchRow struct {
	Project domain.ProjectID
	Amount  int64 // price in credits, at least 1; not used on counted plans
	Draft   bool  // the movie is a draft; used on counted plans only
}

// HoldBatch holds credits for all rows of a batch, or for none of them. It refuses the sum as Afford does. It skips rows that
// have been paid for already, so it may be repeated. Decision 63.
func (l *Ledger) HoldBatch(batch domain.BatchID, rows []BatchRow, now time.Time) ([]domain.Event, error) {
	var events []domain.Event
	var sum int64
	for _, row := range rows {
		if l.paid(row.Project) {
			continue
		}
		sum += row.Amount
		events = append(events, CreditsHeld{Project: row.Project, Amount: row.Amount, Batch: batch, At: now})
	}
	if len(events) == 0 {
		return nil, nil
	}
	if err := l.Afford(sum); err != nil {
		return nil, err
	}
	return events, nil
}

// CountBatch counts all rows of a batch for a counted plan, or none of them. It refuses as AdmitCount does. It skips rows that
// have been counted already, so it may be repeated.
func (l *Ledger) CountBatch(batch domain.BatchID, rows []BatchRow, quota Quota, now time.Time) ([]domain.Event, error) {
	var events []domain.Event
	period := Period(now)
	for _, row := range rows {
		if l.paid(row.Project) {
			continue
		}
		left := &quota.Movies
		if row.Draft {
			left = &quota.Drafts
		}
		if err := l.AdmitCount(row.Draft, quota, now); err != nil {
			return nil, err
		}
		*left-- // this row uses up one of the remaining movies or drafts
		if row.Draft {
			events = append(events, DraftCounted{Project: row.Project, Period: period, Batch: batch, At: now})
		} else {
			events = append(events, MovieCounted{Project: row.Project, Period: period, Batch: batch, At: now})
		}
	}
	return events, nil
}

// paid reports whether a project has, or had, a hold or a count.
func (l *Ledger) paid(project domain.ProjectID) bool {
	_, _, open := l.OpenHold(project)
	_, ended := l.ended[project]
	return open || ended
}
