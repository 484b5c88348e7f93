// Package audit recomputes every credit from the raw events. It replays the log from its first event, checks each entry
// of each ledger against the invariants and against the movies and preload batches that it is for, and compares the
// results with the read models if there are any to compare with. It does not use the folding code of the service: the
// rules are written a second time, as an auditor would.
//
// Its memory grows mainly with the accounts, their grants and months, and the holds open at one moment, not with all
// movies that were settled; when one ledger is audited alone, also with all holds of that ledger. docs/audit.md says
// how to write the same audit in another language.
package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Config is what Run needs. Store and Codec are required.
type Config struct {
	Store eventstore.Store
	Codec *eventstore.Codec
	// Until is the last position that is audited; zero: the end of the log.
	Until eventstore.Position
	// Grace is how long, in the time of the log, a hold may stay open after its outcome or without a movie. A longer time means
	// that nobody settles it. Default: an hour.
	Grace time.Duration
	// Account, if set, is the only audited account. Its ledger is read without the rest of the log, and checked against
	// the rules that need no movies and preload batches. The time depends on the length of that ledger, not of the log.
	Account domain.AccountID
	// Books are the read models to compare with; nil: no comparison.
	Books Books
	// Key is the public key of the installation: opening balances of ledgers must carry its signature. nil: signatures are not
	// checked.
	Key ed25519.PublicKey
	// Line is called with every entry of every ledger, in the order of the log; nil: no calls. Its error ends the audit.
	Line func(Line) error
}

// Line is one entry of a ledger, with the account's totals after that entry. Fields that the statement of the HTTP interface has
// too have the same meaning there: granted, held and charged are changes, not totals. The statement has no totals.
type Line struct {
	Account domain.AccountID `json:"account"`
	Number  int64            `json:"number"` // revision of the event in the ledger
	At      time.Time        `json:"at"`
	Event   string           `json:"event"`
	Subject string           `json:"subject"` // project of a movie, item of a preload batch, or reference of a grant
	Amount  int64            `json:"amount"`
	Granted int64            `json:"granted"` // change of the granted credits
	Held    int64            `json:"held"`    // change of the held credits
	Charged int64            `json:"charged"` // change of the charged credits
	Kind    string           `json:"kind"`    // kind of a grant
	Reason  string           `json:"reason"`  // why credits or a count were released
	Period  string           `json:"period"`  // month in which a movie or draft was counted
	Draft   bool             `json:"draft"`

	GrantedTotal int64 `json:"granted_total"`
	ChargedTotal int64 `json:"charged_total"`
	HeldTotal    int64 `json:"held_total"`
	Balance      int64 `json:"balance"`   // granted − charged
	Available    int64 `json:"available"` // balance − held
}

// Report is the result of an audit. With the same Config, the same log produces the same report, whoever runs the audit.
type Report struct {
	// Account is the account whose ledger was audited alone; every other figure is then about that ledger. Empty: the whole log was
	// audited.
	Account  domain.AccountID `json:"account,omitempty"`
	Position Place            `json:"position"` // position of the last audited event
	Events   int64            `json:"events"`   // audited events
	Entries  int64            `json:"entries"`  // entries of all ledgers
	Digest   string           `json:"digest"`   // last digest of the hash chain (Seal) over all entries
	Accounts int64            `json:"accounts"` // accounts with a ledger
	Granted  int64            `json:"granted"`
	Charged  int64            `json:"charged"`
	Held     int64            `json:"held"`
	Open     int64            `json:"open"` // holds and counts that are not settled
	// Balances is how many accounts were compared with the read models, Movies how many movies whose
	// render has finished.
	Balances int64 `json:"balances_compared"`
	Movies   int64 `json:"movies_compared"`
	Openings int64 `json:"openings_compared"` // opening balances of ledgers that were compared with the events before them
	// Difference is the first violation found; nil: there is none.
	Difference *Difference `json:"difference"`
}

// Place is a position in the log.
type Place struct {
	Commit  uint64 `json:"commit"`
	Prepare uint64 `json:"prepare"`
}

// Difference says where the log, or a read model, violates a rule.
type Difference struct {
	Account  domain.AccountID `json:"account"`
	Stream   string           `json:"stream"`
	Revision int64            `json:"revision"`
	Position Place            `json:"position"`
	What     string           `json:"what"`
}

func (d *Difference) Error() string {
	return fmt.Sprintf("account %s, event %d of %s (position %d): %s", d.Account, d.Revision, d.Stream, d.Position.Commit, d.What)
}

// auditor replays one log.
type auditor struct {
	cfg      Config
	report   Report
	seal     Seal
	accounts map[domain.AccountID]*account
	open     map[domain.ProjectID]*open
	compare  *comparer // compares read models with the log; nil: only the log is audited
	at       time.Time // creation time of the current event
}

// Run audits the log. The report's Difference is set when a rule is violated; an error means that the audit could not be
// finished. The read models are compared with the state of the log at the report's position.
func Run(ctx context.Context, cfg Config) (Report, error) {
	a := &auditor{cfg: cfg, accounts: make(map[domain.AccountID]*account), open: make(map[domain.ProjectID]*open)}
	if a.cfg.Grace <= 0 {
		a.cfg.Grace = time.Hour
	}
	if cfg.Books != nil {
		a.compare = &comparer{books: cfg.Books}
	}
	a.report.Account = cfg.Account
	err := a.replay(ctx)
	if err == nil {
		err = a.finish(ctx)
	}
	a.report.Digest = a.seal.String()
	if difference := asDifference(err); difference != nil {
		a.report.Difference, err = difference, nil
	}
	return a.report, err
}

// replay reads the log in another goroutine and audits it in this one.
func (a *auditor) replay(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan eventRange, readAhead)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(batches)
		a.read(ctx, batches)
	}()
	defer func() { cancel(); <-ended }()
	for b := range batches {
		for i := range b.events {
			if err := a.event(ctx, &b.events[i]); err != nil {
				return err
			}
		}
		if b.err != nil {
			return fmt.Errorf("read the log: %w", b.err)
		}
	}
	return ctx.Err()
}

const (
	readAhead  = 8   // maximum number of full batches that wait to be audited
	batchSized = 512 // maximum number of events in a batch
)

// eventRange is a batch of consecutive events of the log. When reading the log has failed, err says why, and no batch
// follows.
type eventRange struct {
	events []eventstore.Recorded
	err    error
}

// read sends the log up to the configured end. While the store is unavailable it retries, so that a long audit need not start
// again.
func (a *auditor) read(ctx context.Context, batches chan<- eventRange) {
	r := reader{auditor: a, out: batches, next: eventRange{events: make([]eventstore.Recorded, 0, batchSized)}}
	for away := 0; ; away++ {
		before := r.after
		err := r.stretch(ctx)
		if r.after != before {
			away = 0
		}
		if !errors.Is(err, eventstore.ErrUnavailable) || away == mostTries {
			r.next.err = err
			r.send(ctx)
			return
		}
		if rest(ctx) != nil {
			return
		}
	}
}

// mostTries is the maximum of consecutive retries while the log is unavailable.
const mostTries = 100

// reader is the state of reading the log.
type reader struct {
	*auditor
	out   chan<- eventRange
	next  eventRange
	after eventstore.Position
	done  eventstore.Revision // number of events read, when one ledger is read alone
}

// alone reports whether one ledger is audited without the rest of the log.
func (a *auditor) alone() bool { return a.cfg.Account != "" }

// mayBe reports whether a hold has one of the given outcomes. It returns true when one ledger is audited alone, because outcomes
// are not known then.
func (a *auditor) mayBe(o *open, outcomes ...outcome) bool {
	return a.alone() || slices.Contains(outcomes, o.outcome)
}

// events yields the events that remain to be audited.
func (r *reader) events(ctx context.Context) iter.Seq2[eventstore.Recorded, error] {
	if r.alone() {
		return r.cfg.Store.ReadStream(ctx, ledger.Stream(r.cfg.Account), eventstore.Forwards, r.done)
	}
	return r.cfg.Store.ReadAll(ctx, eventstore.Forwards, r.after)
}

// stretch reads to the end, or until the store becomes unavailable.
func (r *reader) stretch(ctx context.Context) error {
	until := r.cfg.Until
	for recorded, err := range r.events(ctx) {
		if err != nil {
			return err
		}
		if until != (eventstore.Position{}) && recorded.Position.Compare(until) > 0 {
			return nil
		}
		r.after = recorded.Position
		r.done++
		if r.next.events = append(r.next.events, recorded); len(r.next.events) == batchSized && !r.send(ctx) {
			return ctx.Err()
		}
	}
	return nil
}

// send sends the events that were read. It returns false when the receiver has stopped.
func (r *reader) send(ctx context.Context) bool {
	select {
	case r.out <- r.next:
		r.next = eventRange{events: make([]eventstore.Recorded, 0, batchSized)}
		return true
	case <-ctx.Done():
		return false
	}
}

// event audits one event of the log.
func (a *auditor) event(ctx context.Context, r *eventstore.Recorded) error {
	a.report.Events++
	a.report.Position, a.at = Place(r.Position), r.Created
	category, id := eventstore.SplitStream(r.Stream)
	var err error
	switch category {
	case ledger.StreamCategory:
		err = a.entry(ctx, r, domain.AccountID(id))
	case movieCategory:
		err = a.movie(ctx, r, domain.ProjectID(id))
	case preloadCategory:
		err = a.preload(r, domain.PreloadID(id))
	}
	if what, ok := err.(wrong); ok { //nolint:errorlint // it is never wrapped
		return &Difference{Account: a.accountOf(category, id), Stream: r.Stream, Revision: int64(r.Revision),
			Position: Place(r.Position), What: string(what)}
	}
	return err
}

func (a *auditor) accountOf(category, id string) domain.AccountID {
	if category == ledger.StreamCategory {
		return domain.AccountID(id)
	}
	if o := a.open[domain.ProjectID(id)]; o != nil {
		return o.account
	}
	return ""
}

// wrong is the rule that the current event violates.
type wrong string

func (w wrong) Error() string { return string(w) }

func wrongf(format string, args ...any) error { return wrong(fmt.Sprintf(format, args...)) }
