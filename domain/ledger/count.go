package ledger

import (
	"fmt"
	"maps"
	"time"

	"moviola/domain"
)

// counts holds the number of movies and drafts of an account on a counted plan. Decision 36.
type counts struct {
	used map[string]used // movies and drafts by period, such as 2026-11
	open map[domain.ProjectID]count
}

// used is the number of movies and drafts of an account in a period, including those that are not finished.
type used struct{ movies, drafts int64 }

type count struct {
	period string
	draft  bool
	at     time.Time
}

func newCounts() counts {
	return counts{used: make(map[string]used), open: make(map[domain.ProjectID]count)}
}

func (c counts) clone() counts {
	return counts{used: maps.Clone(c.used), open: maps.Clone(c.open)}
}

func (c counts) add(project domain.ProjectID, counted count) {
	c.open[project] = counted
	c.change(counted, 1)
}

func (c counts) takeBack(project domain.ProjectID) {
	counted, ok := c.open[project]
	if !ok {
		return
	}
	delete(c.open, project)
	c.change(counted, -1)
}

func (c counts) change(counted count, by int64) {
	sum := c.used[counted.period]
	if counted.draft {
		sum.drafts += by
	} else {
		sum.movies += by
	}
	c.used[counted.period] = sum
}

// Period names the calendar month of a time, in UTC: 2026-11.
func Period(t time.Time) string { return t.UTC().Format("2006-01") }

// Quota is what a counted plan allows in a calendar month.
type Quota struct {
	Movies int64
	Drafts int64
}

// AdmitCount returns an error when one more movie, or draft, may not be counted now. Spec: Errors, POST /movies.
func (l *Ledger) AdmitCount(draft bool, quota Quota, now time.Time) error {
	sum := l.counts.used[Period(now)]
	switch {
	case l.closed:
		return errClosed()
	case draft && sum.drafts >= quota.Drafts:
		return domain.Errorf(domain.QuotaExceeded, "draft_quota_exceeded",
			"You exceeded the quota of drafts in the service plan. Please upgrade the service plan to continue.")
	case !draft && sum.movies >= quota.Movies:
		return domain.Errorf(domain.QuotaExceeded, "movie_quota_exceeded",
			"You exceeded the quota of movies in the service plan. Please upgrade the service plan to continue.")
	}
	return nil
}

// UsedIn returns the number of movies and drafts counted in the calendar month of a time, including those that are not finished.
func (l *Ledger) UsedIn(t time.Time) (movies, drafts int64) {
	sum := l.counts.used[Period(t)]
	return sum.movies, sum.drafts
}

// Count counts a project, or refuses as AdmitCount does. It returns no event when the project's count is open. For a project
// whose hold or count has ended the error is ErrHoldEnded. For a project with an open hold of credits the error is ErrOtherwise.
func (l *Ledger) Count(project domain.ProjectID, draft bool, quota Quota, now time.Time) ([]domain.Event, error) {
	if _, ok := l.counts.open[project]; ok {
		return nil, nil
	}
	if _, ok := l.ended[project]; ok {
		return nil, fmt.Errorf("count %s: %w", project, ErrHoldEnded)
	}
	if _, ok := l.open[project]; ok {
		return nil, fmt.Errorf("count %s: %w", project, ErrOtherwise)
	}
	if err := l.AdmitCount(draft, quota, now); err != nil {
		return nil, err
	}
	if draft {
		return []domain.Event{DraftCounted{Project: project, Period: Period(now), At: now}}, nil
	}
	return []domain.Event{MovieCounted{Project: project, Period: Period(now), At: now}}, nil
}

// Ending is the way in which a project's hold or count is ended.
type Ending int

// The ways in which a hold or count is ended.
const (
	GiveBack Ending = iota // no movie was made: the hold is released, the count is taken back
	Spend                  // a movie was made: credits are charged, the count is kept
	KeepOnly               // the movie was served from the cache: credits are released, the count is kept (decision 20)
)

// Settle ends a project's hold or count, whichever of them it has. reason is why credits are released or a count is taken back.
//
// Of a hold or count that has ended, the ledger remembers for some time (see remembered) when it ended, and whether it was
// spent (charged or kept) or given back. Spend and GiveBack return no event when it ended in the same way before; when it
// ended in the other way, the error is ErrHoldEnded. KeepOnly returns no event in either case, because it ends a hold as
// GiveBack does and a count as Spend does. For a project that never had a hold or count, or whose hold or count is
// forgotten, Spend returns ErrNoHold; GiveBack and KeepOnly return no event.
func (l *Ledger) Settle(project domain.ProjectID, how Ending, reason string, now time.Time) ([]domain.Event, error) {
	counted, ok := l.counts.open[project]
	switch {
	case ok && how == GiveBack:
		return []domain.Event{CountReleased{Project: project, Period: counted.period, Draft: counted.draft, Reason: reason,
			At: now}}, nil
	case ok:
		return []domain.Event{CountKept{Project: project, At: now}}, nil
	case how == Spend:
		return l.Charge(project, now)
	case how == KeepOnly && l.ended[project].charged:
		// Of an ended hold or count, the ledger remembers only that it was spent: the count was kept or the hold charged.
		// KeepOnly changes neither.
		return nil, nil
	}
	return l.Release(project, reason, now)
}
