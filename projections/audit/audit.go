// Package audit recomputes every credit from the raw events: it replays the log from its first event, holds each entry of each ledger
// against the invariants and against the movies and preload batches it is for, and compares what comes of it with the read models.
// Nothing here folds by the code that decided: the rules are written down once more, as an auditor would.
//
// What it keeps in mind is bounded by what is open at one moment, not by the history. docs/audit.md says how to do the same in another
// language.
package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Config is what Run needs. Store and Codec are required.
type Config struct {
	Store eventstore.Store
	Codec *eventstore.Codec
	// Until is the last place in the log that is looked at; zero: the log's end.
	Until eventstore.Position
	// Grace is how long something may be open, in the time of the log, that has an outcome or never came: longer means that nobody
	// settles it. Default: an hour.
	Grace time.Duration
	// Books are the read models to compare with; nil: none.
	Books Books
	// Line is handed every entry of every ledger, in the order of the log; nil: nobody is. Its error ends the audit.
	Line func(Line) error
}

// Line is one entry of a ledger, with what the account comes to after it. The fields that the statement of the HTTP interface has too mean the
// same in both: granted, held and charged are what the entry changes; the totals are here alone.
type Line struct {
	Account domain.AccountID `json:"account"`
	Number  int64            `json:"number"` // revision of the event in the ledger
	At      time.Time        `json:"at"`
	Event   string           `json:"event"`
	Subject string           `json:"subject"` // project, item of a batch, or reference of a grant
	Amount  int64            `json:"amount"`
	Granted int64            `json:"granted"` // by how much it changes what was granted
	Held    int64            `json:"held"`    // by how much it changes what is held
	Charged int64            `json:"charged"` // by how much it changes what was charged
	Kind    string           `json:"kind"`    // of a grant
	Reason  string           `json:"reason"`  // why credits or a count were given back
	Period  string           `json:"period"`  // that a movie or draft was counted for
	Draft   bool             `json:"draft"`

	GrantedTotal int64 `json:"granted_total"`
	ChargedTotal int64 `json:"charged_total"`
	HeldTotal    int64 `json:"held_total"`
	Balance      int64 `json:"balance"`   // granted − charged
	Available    int64 `json:"available"` // balance − held
}

// Report is what an audit has come to. The same log gives the same report, whoever audits it.
type Report struct {
	Position Place  `json:"position"` // of the last event looked at
	Events   int64  `json:"events"`   // in the whole log
	Entries  int64  `json:"entries"`  // of all ledgers
	Digest   string `json:"digest"`   // the seal over all entries: see Seal
	Accounts int64  `json:"accounts"` // that have a ledger
	Granted  int64  `json:"granted"`
	Charged  int64  `json:"charged"`
	Held     int64  `json:"held"`
	Open     int64  `json:"open"` // holds and counts that are not settled
	// Balances is how many accounts the read models were compared for; Movies of how many settled movies.
	Balances int64 `json:"balances_compared"`
	Movies   int64 `json:"movies_compared"`
	// Difference is the first thing that is not as it has to be; nil: everything is.
	Difference *Difference `json:"difference"`
}

// Place is a place in the log of all streams.
type Place struct {
	Commit  uint64 `json:"commit"`
	Prepare uint64 `json:"prepare"`
}

// Difference says where the log, or a read model, is not as it has to be.
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
	compare  *comparer // nil without books
	at       time.Time // of the event at hand
}

// Run audits. It returns the report, whose Difference is set when something is not as it has to be; its error means that the audit could
// not be finished. The read models are compared with the state of the log at the report's position.
func Run(ctx context.Context, cfg Config) (Report, error) {
	a := &auditor{cfg: cfg, accounts: make(map[domain.AccountID]*account), open: make(map[domain.ProjectID]*open)}
	if a.cfg.Grace <= 0 {
		a.cfg.Grace = time.Hour
	}
	if cfg.Books != nil {
		a.compare = &comparer{books: cfg.Books}
	}
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

// replay reads the log on one goroutine and audits it on this one.
func (a *auditor) replay(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan batch, readAhead)
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
	readAhead  = 8   // batches
	batchSized = 512 // events
)

// batch is a stretch of the log, and what ended the reading behind it.
type batch struct {
	events []eventstore.Recorded
	err    error
}

// read hands out the log up to the end that was asked for. A store that is away for a while is waited for: a long audit is not begun
// again because of it.
func (a *auditor) read(ctx context.Context, batches chan<- batch) {
	r := reader{auditor: a, out: batches, next: batch{events: make([]eventstore.Recorded, 0, batchSized)}}
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

// mostTries is how often in a row a log is asked for that is away.
const mostTries = 100

// reader is a reading of the log, and how far it has come.
type reader struct {
	*auditor
	out   chan<- batch
	next  batch
	after eventstore.Position
}

// stretch reads on to the end, or until the store is away.
func (r *reader) stretch(ctx context.Context) error {
	until := r.cfg.Until
	for recorded, err := range r.cfg.Store.ReadAll(ctx, eventstore.Forwards, r.after) {
		if err != nil {
			return err
		}
		if until != (eventstore.Position{}) && recorded.Position.Compare(until) > 0 {
			return nil
		}
		r.after = recorded.Position
		if r.next.events = append(r.next.events, recorded); len(r.next.events) == batchSized && !r.send(ctx) {
			return ctx.Err()
		}
	}
	return nil
}

// send hands out what has been read, and says whether anybody has taken it.
func (r *reader) send(ctx context.Context) bool {
	select {
	case r.out <- r.next:
		r.next = batch{events: make([]eventstore.Recorded, 0, batchSized)}
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
		err = a.entry(r, domain.AccountID(id))
	case movieCategory:
		err = a.movie(ctx, r, domain.ProjectID(id))
	case preloadCategory:
		err = a.preload(r, domain.PreloadID(id))
	}
	if what, ok := err.(wrong); ok { //nolint:errorlint // it is never wrapped
		return &Difference{Account: a.accountOf(category, id), Stream: r.Stream, Revision: int64(r.Revision), Position: Place(r.Position), What: string(what)}
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

// wrong is what is not as it has to be about the event at hand.
type wrong string

func (w wrong) Error() string { return string(w) }

func wrongf(format string, args ...any) error { return wrong(fmt.Sprintf(format, args...)) }
