package audit

import (
	"context"
	"fmt"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
)

const (
	movieCategory   = movie.StreamCategory
	preloadCategory = preload.StreamCategory
)

// String describes the state of an open hold or count.
func (o *open) String() string {
	what := fmt.Sprintf("%d credits are held", o.amount)
	if o.counted {
		what = "it is counted for " + o.period
	}
	return what + map[outcome]string{
		undecided: ", and it has no outcome yet",
		made:      fmt.Sprintf(", and it was made for %d credits", o.credits),
		cached:    ", and it came from the cache",
		failed:    ", and it was not made",
	}[o.outcome]
}

// decisive are the events of a movie that affect its credits; all others are skipped without decoding.
var decisive = map[string]bool{
	movie.Submitted{}.EventType(): true, movie.SubmissionAbandoned{}.EventType(): true, movie.RenderFinished{}.EventType(): true,
	movie.RenderTimedOut{}.EventType(): true, movie.Cancelled{}.EventType(): true,
}

// movie audits an event of a movie. The movie's first outcome decides. Design §5.
func (a *auditor) movie(ctx context.Context, r *eventstore.Recorded, project domain.ProjectID) error {
	if !decisive[r.Type] {
		return nil
	}
	event, _, err := a.cfg.Codec.Decode(*r)
	if err != nil {
		return err
	}
	switch e := event.(type) {
	case movie.Submitted:
		if o := a.open[project]; o != nil && o.counted != e.Counted {
			return wrongf("%s is paid for in one way and was submitted in the other", project)
		}
		return a.came(r, project, e.Account)
	case movie.SubmissionAbandoned:
		if err := a.came(r, project, e.Account); err != nil {
			return err
		}
		a.decide(a.open[project], failed, 0)
	case movie.RenderTimedOut, movie.Cancelled:
		if o := a.open[project]; o != nil {
			a.decide(o, failed, 0)
		}
	case movie.RenderFinished:
		return a.finished(ctx, project, e)
	}
	return nil
}

// came records that the movie or item of a hold has come into existence by the event r, which must be the first of its
// stream.
func (a *auditor) came(r *eventstore.Recorded, subject domain.ProjectID, owner domain.AccountID) error {
	o := a.open[subject]
	switch {
	case o == nil:
		return wrongf("nothing is held or counted for %s", subject)
	case r.Revision != 0 || o.begun:
		return wrongf("%s begins twice", subject)
	case o.account != owner:
		return wrongf("%s is of account %s, but %s pays for it", subject, owner, o.account)
	}
	o.begun = true
	a.accounts[o.account].begun -= number(subject)
	return nil
}

// decide sets the outcome of a hold or count, and the credits that it costs, unless there is an outcome already.
func (a *auditor) decide(o *open, what outcome, credits int64) {
	if o.outcome == undecided {
		o.outcome, o.credits, o.least, o.since = what, credits, credits, a.at
	}
}

// finished audits RenderFinished. If the hold is settled or has an outcome already, the movie usually has timed out or
// was cancelled before. Then RenderFinished must not cost credits.
func (a *auditor) finished(ctx context.Context, project domain.ProjectID, e movie.RenderFinished) error {
	o := a.open[project]
	if (o == nil || o.outcome != undecided) && e.Credits != 0 {
		return wrongf("%s costs %d credits after it was settled or had ended", project, e.Credits)
	}
	if o != nil {
		switch {
		case !o.begun:
			return wrongf("%s ends before it has begun", project)
		case !e.Success:
			a.decide(o, failed, 0)
		case e.CachedFrom != "":
			a.decide(o, cached, 0)
		default:
			a.decide(o, made, e.Credits)
		}
	}
	if a.compare == nil {
		return nil
	}
	return a.compare.movie(ctx, a, project, e)
}

// itemsAtMost is the maximum of items in a preload batch.
const itemsAtMost = 1000

// preload audits an event of a preload batch. Each of its items is charged separately. Decision 38.
func (a *auditor) preload(r *eventstore.Recorded, id domain.PreloadID) error {
	event, _, err := a.cfg.Codec.Decode(*r)
	if err != nil {
		return err
	}
	switch e := event.(type) {
	case preload.Requested:
		for i, item := range e.Items {
			if item.Held == 0 {
				continue
			}
			if err := a.came(r, ledger.Item(id, i), e.Account); err != nil {
				return err
			}
		}
	case preload.ItemFinished:
		if o := a.open[ledger.Item(id, e.Index)]; o != nil {
			if e.Result.Credits > 0 {
				a.decide(o, made, e.Result.Credits)
				// Results of former versions may have a price above the hold: these versions have charged the price, later
				// ones charge what was held.
				o.least = min(o.credits, o.amount)
			} else {
				a.decide(o, failed, 0)
			}
		} else if e.Result.Credits > 0 {
			return wrongf("item %d costs %d credits, but nothing is held for it", e.Index, e.Result.Credits)
		}
	case preload.Finished:
		if r.Revision == 0 { // the batch was never requested
			return a.abandonBatch(r, id)
		}
	}
	return nil
}

// abandonBatch sets an outcome for every hold of a preload batch that was never requested.
func (a *auditor) abandonBatch(r *eventstore.Recorded, id domain.PreloadID) error {
	for i := range itemsAtMost {
		o := a.open[ledger.Item(id, i)]
		if o == nil {
			continue
		}
		if err := a.came(r, ledger.Item(id, i), o.account); err != nil {
			return err
		}
		a.decide(o, failed, 0)
	}
	return nil
}
