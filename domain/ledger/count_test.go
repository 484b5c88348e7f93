package ledger_test

import (
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
)

const november = "2026-11"

func counted(p domain.ProjectID) ledger.MovieCounted {
	return ledger.MovieCounted{Project: p, Period: november, At: t0}
}

func drafted(p domain.ProjectID) ledger.DraftCounted {
	return ledger.DraftCounted{Project: p, Period: november, At: t0}
}

func kept(p domain.ProjectID) ledger.CountKept { return ledger.CountKept{Project: p, At: t0} }

func givenBack(p domain.ProjectID, draft bool) ledger.CountReleased {
	return ledger.CountReleased{Project: p, Period: november, Draft: draft, Reason: "failed", At: t0}
}

const upgradeHint = "Please upgrade the service plan to continue."

// TestLedger_Count has a row for what a month of one movie and one draft allows. Decision 36; spec: Errors, POST /movies.
func TestLedger_Count(t *testing.T) {
	t.Parallel()
	noMovies := domain.Errorf(domain.QuotaExceeded, "movie_quota_exceeded", "You exceeded the quota of movies in the service plan. "+upgradeHint)
	noDrafts := domain.Errorf(domain.QuotaExceeded, "draft_quota_exceeded", "You exceeded the quota of drafts in the service plan. "+upgradeHint)
	lastMonth := ledger.MovieCounted{Project: p2, Period: "2026-10", At: t0.AddDate(0, -1, 0)}
	tests := []struct {
		name  string
		given []domain.Event
		draft bool
		want  []domain.Event
		err   error
	}{
		{name: "the first movie", want: history(counted(p1))},
		{name: "the first draft", draft: true, want: history(drafted(p1))},
		{name: "used up", given: history(counted(p2)), err: noMovies},
		{name: "used up and made", given: history(counted(p2), kept(p2)), err: noMovies},
		{name: "used up and given back", given: history(counted(p2), givenBack(p2, false)), want: history(counted(p1))},
		{name: "drafts used up", given: history(drafted(p2)), draft: true, err: noDrafts},
		{name: "a draft given back", given: history(drafted(p2), givenBack(p2, true)), draft: true, want: history(drafted(p1))},
		{name: "a draft counts as no movie", given: history(drafted(p2)), want: history(counted(p1))},
		{name: "a movie counts as no draft", given: history(counted(p2)), draft: true, want: history(drafted(p1))},
		{name: "last month's counts for last month", given: history(lastMonth), want: history(counted(p1))},
		{name: "counted before", given: history(counted(p1))},
		{name: "counted and kept", given: history(counted(p1), kept(p1)), err: ledger.ErrHoldEnded},
		{name: "counted and given back", given: history(counted(p1), givenBack(p1, false)), err: ledger.ErrHoldEnded},
		{name: "credits are held", given: history(granted(100), held(p1, 7)), err: ledger.ErrOtherwise},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Count(p1, tt.draft, ledger.Quota{Movies: 1, Drafts: 1}, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
	_, err := given(counted(p1)).Hold(p1, 7, t0)
	check(t, nil, ledger.ErrOtherwise, nil, err)
}

// TestLedger_Settle has a row for every ending of a hold and of a count. Decisions 20 and 36.
func TestLedger_Settle(t *testing.T) {
	t.Parallel()
	open := history(granted(100), held(p1, 7))
	tests := []struct {
		name  string
		given []domain.Event
		how   ledger.Ending
		want  []domain.Event
		err   error
	}{
		{name: "spend a hold", given: open, how: ledger.Spend, want: history(charged(p1, 7))},
		{name: "give a hold back", given: open, how: ledger.GiveBack, want: history(released(p1, 7))},
		{name: "from the cache", given: open, how: ledger.KeepOnly, want: history(released(p1, 7))},
		{name: "spent before", given: append(open[:2:2], charged(p1, 7)), how: ledger.Spend},
		{name: "spent, then given back", given: append(open[:2:2], charged(p1, 7)), how: ledger.GiveBack, err: ledger.ErrHoldEnded},
		{name: "given back before", given: append(open[:2:2], released(p1, 7)), how: ledger.GiveBack},
		{name: "given back, then spent", given: append(open[:2:2], released(p1, 7)), how: ledger.Spend, err: ledger.ErrHoldEnded},
		{name: "from the cache before", given: append(open[:2:2], released(p1, 7)), how: ledger.KeepOnly},
		{name: "spent, then from the cache", given: append(open[:2:2], charged(p1, 7)), how: ledger.KeepOnly},
		{name: "spend a count", given: history(counted(p1)), how: ledger.Spend, want: history(kept(p1))},
		{name: "give a count back", given: history(counted(p1)), how: ledger.GiveBack, want: history(givenBack(p1, false))},
		{name: "give a draft back", given: history(drafted(p1)), how: ledger.GiveBack, want: history(givenBack(p1, true))},
		{name: "a count from the cache", given: history(counted(p1)), how: ledger.KeepOnly, want: history(kept(p1))},
		{name: "a count kept before", given: history(counted(p1), kept(p1)), how: ledger.Spend},
		{name: "a count from the cache before", given: history(counted(p1), kept(p1)), how: ledger.KeepOnly},
		{name: "a count given back before", given: history(counted(p1), givenBack(p1, false)), how: ledger.GiveBack},
		{name: "a count given back, then from the cache", given: history(counted(p1), givenBack(p1, false)), how: ledger.KeepOnly},
		{name: "a count given back, then spent", given: history(counted(p1), givenBack(p1, false)), how: ledger.Spend, err: ledger.ErrHoldEnded},
		{name: "a count kept, then given back", given: history(counted(p1), kept(p1)), how: ledger.GiveBack, err: ledger.ErrHoldEnded},
		{name: "nothing to keep", how: ledger.KeepOnly},
		{name: "nothing to give back", how: ledger.GiveBack},
		{name: "nothing to spend", how: ledger.Spend, err: ledger.ErrNoHold},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Settle(p1, tt.how, "failed", t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]string{
		t0: november,
		time.Date(2026, 12, 1, 0, 30, 0, 0, time.FixedZone("an hour ahead of UTC", 3600)): november,
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC):                                      "2026-12",
	} {
		if got := ledger.Period(at); got != want {
			t.Errorf("%v is in %s", at, got)
		}
	}
}

// TestLedger_counts: OpenHold returns an open count as a hold of 0 credits, and a clone shares no counts with the ledger.
func TestLedger_counts(t *testing.T) {
	t.Parallel()
	l := given(counted(p1))
	if amount, at, ok := l.OpenHold(p1); amount != 0 || !at.Equal(t0) || !ok {
		t.Errorf("open hold %d, %v, %v", amount, at, ok)
	}
	if totals := l.Totals(); totals.Held != 0 || totals.EverGranted {
		t.Errorf("totals %+v", totals)
	}
	l.Clone().Apply(kept(p1))
	if _, _, ok := l.OpenHold(p1); !ok {
		t.Error("the copy closed it")
	}
	pack := given(ledger.CreditsGranted{Reference: "p", Kind: ledger.PackGrant, Amount: 5, At: t0}, granted(1))
	if !pack.Totals().Pack || !pack.Clone().Totals().Pack || given(granted(1)).Totals().Pack {
		t.Error("the pack is not remembered")
	}
}

// TestLedger_UsedIn: each month by itself, in UTC; what is given back does not count.
func TestLedger_UsedIn(t *testing.T) {
	t.Parallel()
	l := given(
		ledger.MovieCounted{Project: "a", Period: "2026-11", At: t0}, ledger.MovieCounted{Project: "b", Period: "2026-11", At: t0},
		ledger.DraftCounted{Project: "c", Period: "2026-11", At: t0}, ledger.MovieCounted{Project: "d", Period: "2026-12", At: t0},
		ledger.CountReleased{Project: "b", Period: "2026-11", At: t0},
	)
	for month, want := range map[time.Month][2]int64{time.October: {0, 0}, time.November: {1, 1}, time.December: {1, 0}} {
		if movies, drafts := l.UsedIn(time.Date(2026, month, 30, 23, 59, 0, 0, time.UTC)); [2]int64{movies, drafts} != want {
			t.Errorf("%s: %d movies, %d drafts, want %v", month, movies, drafts, want)
		}
	}
}
