package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// account is the state of one audited ledger.
type account struct {
	revision               int64 // revision of the ledger's last event
	granted, charged, held int64
	references             map[string]bool // references of the account's grants
	// taken has every movie and item for which this ledger ever had a hold or a count. It is used only when this ledger
	// is audited alone. Movies are not read then, so the checksum in the field begun cannot show that one was held or
	// counted twice.
	taken  map[domain.ProjectID]bool
	used   map[string]*used
	closed bool
	// following collects what the ledger's opening balance is compared with; nil: there is no opening balance, or it has been
	// compared.
	following *following
	// begun is a checksum, which wraps around. Every hold or count adds the number of its movie or item to it (see the
	// function number). Every such movie or item subtracts its number when it comes into existence or is given up. When
	// the whole log is audited, begun must in the end be the sum of the numbers of those open holds and counts for
	// which this has not happened yet. Any other value shows that something was held or counted twice, or that a hold
	// or count was settled although its movie or item never existed.
	begun uint64
}

// used is what was counted in one month.
type used struct{ movies, drafts int64 }

// outcome is the outcome of the movie or item that credits are held for.
type outcome int

const (
	undecided outcome = iota
	made              // success: credits are charged
	cached            // a cached copy: costs nothing, and is counted
	failed            // failure: costs nothing, and is not counted
)

// open is a hold or a count that has not been settled.
type open struct {
	account domain.AccountID
	amount  int64 // credits of a hold; 0 for a count
	attempt int   // render attempt that changed the hold last
	counted bool
	draft   bool
	period  string
	begun   bool // the movie or item of the hold exists
	outcome outcome
	since   time.Time // time of the hold, and later of the outcome, by the event store's clock
	credits int64     // price that the outcome names, in credits
	least   int64     // the least that may be charged: of an item, what was held if that is below the price; else credits
}

// number returns the number that stands for a movie or item in the checksum account.begun: 64 bits of the SHA-256 of
// its id.
func number(subject domain.ProjectID) uint64 {
	sum := sha256.Sum256([]byte(subject))
	return binary.LittleEndian.Uint64(sum[:])
}

// ledgerOf returns the account of an entry, and checks that the entry follows the previous one of its ledger. A gap could hide
// entries.
func (a *auditor) ledgerOf(ctx context.Context, r *eventstore.Recorded, id domain.AccountID) (*account, error) {
	acc := a.accounts[id]
	if acc == nil {
		opening, err := a.expect(ctx, id)
		if err != nil {
			return nil, err
		}
		acc = &account{revision: -1, references: make(map[string]bool), used: make(map[string]*used),
			taken: make(map[domain.ProjectID]bool), following: opening}
		a.accounts[id] = acc
	}
	if int64(r.Revision) != acc.revision+1 {
		return nil, wrongf("revision %d follows %d", r.Revision, acc.revision)
	}
	acc.revision++
	return acc, nil
}

// entry audits an event of a ledger.
func (a *auditor) entry(ctx context.Context, r *eventstore.Recorded, id domain.AccountID) error {
	a.seal.Add(r)
	a.report.Entries++
	acc, err := a.ledgerOf(ctx, r, id)
	if err != nil {
		return err
	}
	event, _, err := a.cfg.Codec.Decode(*r)
	if err != nil {
		return err
	}
	if want := eventstore.EventID(r.Stream, event); r.ID != want && r.ID != eventstore.FormerID(r.Stream, event) {
		return wrongf("its id is %s, but what it says has the id %s", r.ID, want)
	}
	before := *acc
	if err := a.apply(acc, id, event); err != nil {
		return err
	}
	if acc.held < 0 || acc.charged > acc.granted || acc.granted-acc.charged-acc.held < 0 {
		return wrongf("granted %d, charged %d, held %d: less than nothing is left", acc.granted, acc.charged, acc.held)
	}
	if acc.following != nil {
		acc.following.follow(acc, event)
		if err := a.compareOpening(acc, id, r); err != nil {
			return err
		}
	}
	if a.cfg.Line == nil {
		return nil
	}
	return a.cfg.Line(lineOf(r, id, before, *acc, event))
}

// apply applies an event to the account and checks that it is allowed.
func (a *auditor) apply(acc *account, id domain.AccountID, event domain.Event) error {
	switch e := event.(type) {
	case ledger.CreditsGranted:
		return acc.grant(e)
	case ledger.CreditsHeld:
		return a.hold(acc, id, e)
	case ledger.CreditsHoldChanged:
		return a.change(acc, e)
	case ledger.CreditsCharged:
		return a.charge(acc, id, e)
	case ledger.CreditsReleased:
		return a.release(acc, id, e)
	case ledger.ZeroBalancePurged:
		if acc.granted > acc.charged {
			return wrongf("purged at zero, with a balance of %d", acc.granted-acc.charged)
		}
	case ledger.Closed:
		if acc.closed {
			return wrongf("closed twice")
		}
		acc.closed = true
	default:
		return a.count(acc, id, event)
	}
	return nil
}

// count applies an event that counts movies instead of holding credits.
func (a *auditor) count(acc *account, id domain.AccountID, event domain.Event) error {
	switch e := event.(type) {
	case ledger.MovieCounted:
		acc.in(e.Period).movies++
		return a.begin(acc, e.Project, &open{account: id, counted: true, period: e.Period})
	case ledger.DraftCounted:
		acc.in(e.Period).drafts++
		return a.begin(acc, e.Project, &open{account: id, counted: true, draft: true, period: e.Period})
	case ledger.CountKept:
		return a.end(id, e.Project, func(o *open) bool { return o.counted && a.mayBe(o, made, cached) })
	case ledger.CountReleased:
		acc.giveBack(e)
		return a.end(id, e.Project, func(o *open) bool {
			return o.counted && o.draft == e.Draft && o.period == e.Period && a.mayBe(o, failed)
		})
	}
	return nil
}

func (acc *account) grant(e ledger.CreditsGranted) error {
	switch {
	case acc.closed:
		return wrongf("credits granted to a closed ledger")
	case e.Amount < 1:
		return wrongf("%d credits granted", e.Amount)
	case acc.references[e.Reference]:
		return wrongf("the grant %q is there twice", e.Reference)
	}
	acc.references[e.Reference] = true
	acc.granted += e.Amount
	return nil
}

func (acc *account) in(period string) *used {
	if acc.used[period] == nil {
		acc.used[period] = &used{}
	}
	return acc.used[period]
}

func (acc *account) giveBack(e ledger.CountReleased) {
	if u := acc.in(e.Period); e.Draft {
		u.drafts--
	} else {
		u.movies--
	}
}

// begin opens a hold or a count for the movie or item subject, which may be held or counted only once. While the first
// hold or count is open, begin itself refuses a second one. After the first has ended, begin detects a second one only
// when this ledger is audited alone, by the field taken. In an audit of the whole log, the method finish detects it at
// the end, by the checksum in the field begun or, if the second is still open, by stillOpen.
func (a *auditor) begin(acc *account, subject domain.ProjectID, o *open) error {
	switch {
	case acc.closed:
		return wrongf("%s is held or counted in a closed ledger", subject)
	case a.open[subject] != nil:
		return wrongf("%s is held or counted twice", subject)
	}
	if a.alone() {
		if acc.taken[subject] {
			return wrongf("%s is held or counted twice", subject)
		}
		acc.taken[subject] = true
	}
	acc.begun += number(subject)
	o.since = a.at
	a.open[subject] = o
	return nil
}

// hold applies a hold of credits.
func (a *auditor) hold(acc *account, id domain.AccountID, e ledger.CreditsHeld) error {
	if e.Amount < 1 {
		return wrongf("%d credits are held", e.Amount)
	}
	acc.held += e.Amount
	return a.begin(acc, e.Project, &open{account: id, amount: e.Amount})
}

// change applies a change of a hold's amount.
func (a *auditor) change(acc *account, e ledger.CreditsHoldChanged) error {
	o := a.open[e.Project]
	switch {
	case o == nil || o.counted:
		return wrongf("%s has no open hold that could change", e.Project)
	case o.amount != e.Before:
		return wrongf("the hold of %s is %d, not %d", e.Project, o.amount, e.Before)
	case e.Attempt < o.attempt || e.Amount < 1:
		return wrongf("the hold of %s is changed to %d by attempt %d after attempt %d", e.Project, e.Amount, e.Attempt, o.attempt)
	}
	acc.held += e.Amount - e.Before
	o.amount, o.attempt = e.Amount, e.Attempt
	return nil
}

// charge applies the charge of a whole hold, for a success.
func (a *auditor) charge(acc *account, id domain.AccountID, e ledger.CreditsCharged) error {
	acc.held -= e.Amount
	acc.charged += e.Amount
	if zero := acc.charged >= acc.granted; e.Zero && !zero {
		return wrongf("it says that nothing is left, but the balance is %d", acc.granted-acc.charged)
	}
	return a.end(id, e.Project, func(o *open) bool {
		costs := a.alone() || o.credits == e.Amount || o.least == e.Amount
		return !o.counted && o.amount == e.Amount && a.mayBe(o, made) && costs
	})
}

// release applies the release of a whole hold, when its movie or item costs nothing.
func (a *auditor) release(acc *account, id domain.AccountID, e ledger.CreditsReleased) error {
	acc.held -= e.Amount
	return a.end(id, e.Project, func(o *open) bool {
		return !o.counted && o.amount == e.Amount && a.mayBe(o, cached, failed)
	})
}

// end settles a hold or a count. It checks that the hold exists and belongs to this account, and that fits accepts the outcome
// of the hold's movie or item.
func (a *auditor) end(id domain.AccountID, subject domain.ProjectID, fits func(*open) bool) error {
	o := a.open[subject]
	switch {
	case o == nil:
		return wrongf("%s is settled, but nothing is open for it", subject)
	case o.account != id:
		return wrongf("%s is settled by account %s, but belongs to %s", subject, id, o.account)
	case !fits(o):
		return wrongf("%s does not end like this: %s", subject, o)
	}
	delete(a.open, subject)
	return nil
}
