package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"moviola/domain"
)

// StateVersion is raised whenever the fields of State change, or the way in which events are folded into them. A snapshot
// with another version is ignored, and the events are folded instead.
const StateVersion = 2

// SnapshotTaken is a snapshot of a ledger: its state after one of its events. A snapshot only saves the time of folding:
// every fact in it is also in the events or in an opening balance.
type SnapshotTaken struct {
	Revision int64 `json:"revision"` // revision of the last event that the snapshot includes
	// id of the event at Revision; a snapshot is ignored when the log has another event at that revision
	Event   string    `json:"event" personal:"no"`
	Version int       `json:"stateVersion"`
	State   State     `json:"state"`
	At      time.Time `json:"at"`
}

// EventType is the persisted name.
func (SnapshotTaken) EventType() string { return "LedgerSnapshotTaken" }

// EventKey distinguishes the snapshot from others of the same ledger.
func (s SnapshotTaken) EventKey() string { return fmt.Sprintf("%d/%d", s.Revision, s.Version) }

// StandsOn returns the revision and id of the last event that the snapshot includes.
func (s SnapshotTaken) StandsOn() (revision int64, event string) { return s.Revision, s.Event }

// SnapshotCategory is the part of the names of the streams that hold ledgers' snapshots before the first dash.
const SnapshotCategory = "ledgersnapshot"

// SnapshotStream names the stream of an account's snapshots. The newest snapshot is used.
func SnapshotStream(account domain.AccountID) string {
	return SnapshotCategory + "-" + string(account)
}

// State is the whole state of a ledger as plain data. Times are nanoseconds since 1970. The JSON names are short, because a busy
// account has tens of thousands of ended holds.
type State struct {
	Granted int64       `json:"granted"`
	Charged int64       `json:"charged"`
	Pack    bool        `json:"pack,omitempty"`
	Closed  bool        `json:"closed,omitempty"`
	Zero    int64       `json:"zero,omitempty"`   // since when the balance is zero
	Purged  int64       `json:"purged,omitempty"` // when the account's files were purged since the balance became zero
	Grants  []string    `json:"grants,omitempty" personal:"no"`
	Open    []OpenState `json:"open,omitempty"`
	Counts  []OpenState `json:"counts,omitempty"`
	Used    []UsedState `json:"used,omitempty"`
	Ended   []EndState  `json:"ended,omitempty"` // ended holds and counts, the oldest first
}

// OpenState is an open hold, or an open count.
type OpenState struct {
	Project domain.ProjectID `json:"p"`
	Amount  int64            `json:"n,omitempty"`
	Attempt int              `json:"a,omitempty"`
	Period  string           `json:"m,omitempty" personal:"no"`
	Draft   bool             `json:"d,omitempty"`
	At      int64            `json:"t"`
}

// UsedState is the number of movies and drafts of a counted plan in one period.
type UsedState struct {
	Period string `json:"m" personal:"no"`
	Movies int64  `json:"n"`
	Drafts int64  `json:"d"`
}

// EndState is a hold or count that has ended.
type EndState struct {
	Project domain.ProjectID `json:"p"`
	Charged bool             `json:"c,omitempty"`
	At      int64            `json:"t"`
}

// State returns a copy of the ledger's state.
func (l *Ledger) State() State {
	s := State{
		Granted: l.granted, Charged: l.charged, Pack: l.pack, Closed: l.closed, Zero: nanos(l.zeroSince), Purged: nanos(l.purged),
		Grants: slices.Sorted(maps.Keys(l.grants)),
	}
	for project, h := range l.open {
		s.Open = append(s.Open, OpenState{Project: project, Amount: h.amount, Attempt: h.attempt, At: h.at.UnixNano()})
	}
	for project, c := range l.counts.open {
		s.Counts = append(s.Counts, OpenState{Project: project, Period: c.period, Draft: c.draft, At: c.at.UnixNano()})
	}
	for period, u := range l.counts.used {
		s.Used = append(s.Used, UsedState{Period: period, Movies: u.movies, Drafts: u.drafts})
	}
	for _, project := range l.order {
		e := l.ended[project]
		s.Ended = append(s.Ended, EndState{Project: project, Charged: e.charged, At: e.at.UnixNano()})
	}
	byProject := func(a, b OpenState) int { return cmp.Compare(a.Project, b.Project) }
	slices.SortFunc(s.Open, byProject)
	slices.SortFunc(s.Counts, byProject)
	slices.SortFunc(s.Used, func(a, b UsedState) int { return cmp.Compare(a.Period, b.Period) })
	return s
}

// nanos converts a time to the form in State, and the zero time to 0. The function at does the reverse.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func at(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds).UTC()
}

// Restore returns the ledger with the given state.
func Restore(s State) *Ledger {
	l := New()
	l.granted, l.charged, l.pack = s.Granted, s.Charged, s.Pack
	l.closed, l.zeroSince, l.purged = s.Closed, at(s.Zero), at(s.Purged)
	for _, reference := range s.Grants {
		l.grants[reference] = true
	}
	for _, o := range s.Open {
		l.open[o.Project] = hold{amount: o.Amount, attempt: o.Attempt, at: at(o.At)}
		l.held += o.Amount
	}
	for _, o := range s.Counts {
		l.counts.open[o.Project] = count{period: o.Period, draft: o.Draft, at: at(o.At)}
	}
	for _, u := range s.Used {
		l.counts.used[u.Period] = used{movies: u.Movies, drafts: u.Drafts}
	}
	for _, e := range s.Ended {
		l.ended[e.Project] = end{charged: e.Charged, at: at(e.At)}
		l.order = append(l.order, e.Project)
	}
	return l
}
