package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// finish makes the checks that need the end of the log, and compares the read models.
func (a *auditor) finish(ctx context.Context) error {
	held := make(map[domain.AccountID]int64)
	waiting := make(map[domain.AccountID]uint64)
	for _, subject := range slices.Sorted(maps.Keys(a.open)) {
		o := a.open[subject]
		if !a.alone() {
			if err := a.stillOpen(ctx, subject, o); err != nil {
				return err
			}
		}
		held[o.account] += o.amount
		if !o.begun {
			waiting[o.account] += number(subject)
		}
	}
	a.report.Open, a.report.Accounts = int64(len(a.open)), int64(len(a.accounts))
	for _, id := range slices.Sorted(maps.Keys(a.accounts)) {
		acc := a.accounts[id]
		a.report.Granted += acc.granted
		a.report.Charged += acc.charged
		a.report.Held += acc.held
		at := func(what string) error {
			return &Difference{Account: id, Stream: ledger.Stream(id), Revision: acc.revision, Position: a.report.Position, What: what}
		}
		switch f := acc.following; {
		case f != nil && a.cfg.Until == eventstore.Position{}:
			return a.opens(id, f, fmt.Sprintf("it stands on event %d, which the ledger does not have", f.opening.Revision))
		case acc.held != held[id]:
			return at("what is held is not the sum of the open holds")
		case !a.alone() && acc.begun != waiting[id]:
			return at("something was held or counted twice, or something that was never begun has been settled")
		}
	}
	if a.compare == nil {
		return nil
	}
	return a.compare.balances(ctx, a)
}

// stillOpen checks a hold that is open at the end of the log: it may wait for its outcome, and for at most Config.Grace
// for its movie or for being settled. It also finds a movie that was held or counted twice.
func (a *auditor) stillOpen(ctx context.Context, subject domain.ProjectID, o *open) error {
	differs := func(what string) error {
		return &Difference{
			Account: o.account, Stream: ledger.Stream(o.account), Revision: a.accounts[o.account].revision, Position: a.report.Position,
			What: string(subject) + " " + what + ": " + o.String(),
		}
	}
	old := a.at.Sub(o.since) > a.cfg.Grace
	switch _, _, item := ledger.ParseItem(subject); {
	case o.outcome != undecided && old:
		return differs("is not settled")
	case !o.begun && old:
		return differs("has never come and is not given back")
	case o.begun || item:
		return nil
	}
	// No event after this hold has begun the movie. If the movie's stream nevertheless begins within the audited part
	// of the log, the movie began before this hold. Then it had an earlier hold, so it was held or counted twice.
	for r, err := range a.cfg.Store.ReadStream(ctx, movie.Stream(subject), eventstore.Forwards, 0) {
		if err != nil {
			return err
		}
		if r.Position.Compare(eventstore.Position(a.report.Position)) <= 0 {
			return differs("is held or counted twice")
		}
		break
	}
	return nil
}

// asDifference returns the *Difference that an error wraps, or nil.
func asDifference(err error) *Difference {
	var difference *Difference
	if errors.As(err, &difference) {
		return difference
	}
	return nil
}

// lineOf returns the Line of an event of a ledger. before and acc are the state of the account before and after the event.
func lineOf(r *eventstore.Recorded, id domain.AccountID, before, acc account, event domain.Event) Line {
	line := Line{
		Account: id, Number: acc.revision, Event: r.Type,
		Granted: acc.granted - before.granted, Held: acc.held - before.held, Charged: acc.charged - before.charged,
		GrantedTotal: acc.granted, ChargedTotal: acc.charged, HeldTotal: acc.held,
		Balance: acc.granted - acc.charged, Available: acc.granted - acc.charged - acc.held,
	}
	switch e := event.(type) {
	case ledger.CreditsGranted:
		line.At, line.Subject, line.Amount, line.Kind = e.At, e.Reference, e.Amount, e.Kind
	case ledger.CreditsHeld:
		line.At, line.Subject, line.Amount = e.At, string(e.Project), e.Amount
	case ledger.CreditsHoldChanged:
		line.At, line.Subject, line.Amount = e.At, string(e.Project), e.Amount
	case ledger.CreditsCharged:
		line.At, line.Subject, line.Amount = e.At, string(e.Project), e.Amount
	case ledger.CreditsReleased:
		line.At, line.Subject, line.Amount, line.Reason = e.At, string(e.Project), e.Amount, e.Reason
	case ledger.MovieCounted:
		line.At, line.Subject, line.Period = e.At, string(e.Project), e.Period
	case ledger.DraftCounted:
		line.At, line.Subject, line.Period, line.Draft = e.At, string(e.Project), e.Period, true
	case ledger.CountKept:
		line.At, line.Subject = e.At, string(e.Project)
	case ledger.CountReleased:
		line.At, line.Subject, line.Period, line.Draft, line.Reason = e.At, string(e.Project), e.Period, e.Draft, e.Reason
	case ledger.ZeroBalancePurged:
		line.At = e.At
	case ledger.Closed:
		line.At = e.At
	}
	return line
}
