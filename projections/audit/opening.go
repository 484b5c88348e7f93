package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// following collects the facts of a ledger that its opening balance states and the rest of the audit does not need. It collects
// them up to the last event that the opening balance includes.
type following struct {
	opening eventstore.Opening
	pack    bool
	// time of the charge that left nothing; zero time: none has since the last grant
	zero   time.Time
	purged time.Time                      // when the account's files were purged; zero time: not since the last grant
	since  map[domain.ProjectID]time.Time // by movie or item: time of its open hold or count, as its event states it
	ended  []ledger.EndState              // holds and counts that ended in the two days up to the last of these ends
}

// endedKept says which ended holds and counts an opening balance has to list: those that ended at most 48 hours before
// the newest of these ends. The times are those that the events state.
const endedKept = 48 * time.Hour

// expect reads the opening balance of a ledger whose first event is about to be audited. nil: there is none that this version of
// the program uses.
func (a *auditor) expect(ctx context.Context, id domain.AccountID) (*following, error) {
	opening, found, err := eventstore.NewLog(a.cfg.Store, a.cfg.Codec).NewestOpening(ctx, id)
	if err != nil || !found || opening.Version != ledger.StateVersion {
		return nil, err
	}
	return &following{opening: opening, since: make(map[domain.ProjectID]time.Time)}, nil
}

// follow collects the facts of an event. The event must be applied to acc before.
func (f *following) follow(acc *account, event domain.Event) {
	switch e := event.(type) {
	case ledger.CreditsGranted:
		f.pack = f.pack || e.Kind == ledger.PackGrant
		f.zero, f.purged = time.Time{}, time.Time{}
	case ledger.CreditsHeld:
		f.since[e.Project] = e.At
	case ledger.MovieCounted:
		f.since[e.Project] = e.At
	case ledger.DraftCounted:
		f.since[e.Project] = e.At
	case ledger.CreditsCharged:
		if acc.charged >= acc.granted {
			f.zero = e.At
		}
		f.end(e.Project, true, e.At)
	case ledger.CreditsReleased:
		f.end(e.Project, false, e.At)
	case ledger.CountKept:
		f.end(e.Project, true, e.At)
	case ledger.CountReleased:
		f.end(e.Project, false, e.At)
	case ledger.ZeroBalancePurged:
		f.purged = e.At
	}
}

// end collects the end of a hold or count, and drops those ends that are more than endedKept older.
func (f *following) end(subject domain.ProjectID, charged bool, at time.Time) {
	delete(f.since, subject)
	f.ended = append(f.ended, ledger.EndState{Project: subject, Charged: charged, At: at.UnixNano()})
	old := 0
	for old < len(f.ended) && f.ended[old].At < at.Add(-endedKept).UnixNano() {
		old++
	}
	f.ended = f.ended[old:]
}

// compareOpening compares the account with its opening balance, when r is the last event that the opening balance includes.
func (a *auditor) compareOpening(acc *account, id domain.AccountID, r *eventstore.Recorded) error {
	f := acc.following
	if int64(r.Revision) < f.opening.Revision {
		return nil
	}
	defer func() { acc.following = nil }()
	a.report.Openings++
	if f.opening.Event != r.ID.String() {
		return a.opens(id, f, fmt.Sprintf("it stands on event %d of the ledger with the id %s, but the ledger has %s there",
			f.opening.Revision, f.opening.Event, r.ID))
	}
	if key := a.cfg.Key; key != nil && !f.opening.SignedBy(id, key) {
		return a.opens(id, f, "it does not carry the signature of the installation's key")
	}
	want, got := reflect.ValueOf(a.stateOf(acc, id)), reflect.ValueOf(f.opening.State)
	for i := range want.NumField() {
		w, g := want.Field(i), got.Field(i)
		if w.Kind() == reflect.Slice && w.Len() == 0 && g.Len() == 0 || reflect.DeepEqual(w.Interface(), g.Interface()) {
			continue
		}
		return a.opens(id, f, fmt.Sprintf("after event %d of the ledger it has other %s than the events before it",
			f.opening.Revision, openingFields[want.Type().Field(i).Name]))
	}
	return nil
}

// openingFields says in words what the fields of ledger.State are.
var openingFields = map[string]string{
	"Granted": "granted credits", "Charged": "charged credits", "Pack": "credit packs", "Closed": "facts on whether it is closed",
	"Zero": "times of a balance of zero", "Purged": "times of a purge", "Grants": "references of grants", "Open": "open holds",
	"Counts": "open counts", "Used": "movies and drafts of months", "Ended": "holds and counts that have ended",
}

// stateOf returns the opening balance that the account must have after the events audited so far. Times and lists are in the form
// of ledger.State.
func (a *auditor) stateOf(acc *account, id domain.AccountID) ledger.State {
	f := acc.following
	s := ledger.State{
		Granted: acc.granted, Charged: acc.charged, Closed: acc.closed, Pack: f.pack, Zero: nanoseconds(f.zero),
		Purged: nanoseconds(f.purged), Grants: slices.Sorted(maps.Keys(acc.references)), Ended: f.ended,
	}
	for subject, o := range a.open {
		switch at := f.since[subject].UnixNano(); {
		case o.account != id:
		case o.counted:
			s.Counts = append(s.Counts, ledger.OpenState{Project: subject, Period: o.period, Draft: o.draft, At: at})
		default:
			s.Open = append(s.Open, ledger.OpenState{Project: subject, Amount: o.amount, Attempt: o.attempt, At: at})
		}
	}
	for period, u := range acc.used {
		s.Used = append(s.Used, ledger.UsedState{Period: period, Movies: u.movies, Drafts: u.drafts})
	}
	bySubject := func(a, b ledger.OpenState) int { return cmp.Compare(a.Project, b.Project) }
	slices.SortFunc(s.Open, bySubject)
	slices.SortFunc(s.Counts, bySubject)
	slices.SortFunc(s.Used, func(a, b ledger.UsedState) int { return cmp.Compare(a.Period, b.Period) })
	return s
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// opens returns the *Difference for a wrong opening balance of the ledger id. The parameter what says in words what is
// wrong with the opening balance.
func (a *auditor) opens(id domain.AccountID, f *following, what string) error {
	return &Difference{Account: id, Stream: ledger.OpeningStream(id), Revision: int64(f.opening.At), Position: a.report.Position,
		What: "the opening balance is wrong: " + what}
}
