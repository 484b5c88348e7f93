package ledgers

import (
	"context"
	"crypto/ed25519"
	"errors"
	"sync"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Hold holds credits for a project. While the end of a hold is remembered, no second one is made for the project.
type Hold struct {
	Account domain.AccountID
	Project domain.ProjectID
	Amount  int64 // credits to hold, at least 1
}

// ChangeHold changes the amount of an open hold to the exact price. Attempt is the attempt at rendering that has determined the
// price.
type ChangeHold struct {
	Account domain.AccountID
	Project domain.ProjectID
	Attempt int
	Amount  int64 // credits that the hold has from now on, at least 1
}

// Charge charges the whole hold of a project.
type Charge struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// Count counts a movie, or a draft, on a counted plan. While the end of a count is remembered, no second one is
// made for the project.
type Count struct {
	Account domain.AccountID
	Project domain.ProjectID
	Draft   bool
	Quota   ledger.Quota
}

// Settle ends a project's hold or count.
type Settle struct {
	Account domain.AccountID
	Project domain.ProjectID
	How     ledger.Ending
	Reason  string // why held credits or a count are released; not used when they are charged
}

// Release releases the whole hold of a project.
type Release struct {
	Account domain.AccountID
	Project domain.ProjectID
	Reason  string // why the credits are released: failed, timeout, cancelled, abandoned, cached
}

// Grant adds credits to an account. Of several grants with the same reference only the first adds credits.
type Grant struct {
	Account   domain.AccountID
	Reference string
	// Kind is "pack" for a credit pack, and empty for any other grant. After a pack the account may make movies that are
	// as long as its plan allows to accounts with a pack (decision 36).
	Kind   string
	Amount int64 // credits to add
}

// Ledgers decides on the credits of every account, from the ledger's stream and never from a projection. Each account in use has
// one owner, a goroutine that keeps the folded ledger in memory, decides waiting commands in order and appends their events
// together. Conflicts with other processes are resolved by optimistic concurrency. All methods are safe for concurrent use. A
// refusal that clients see is a *domain.Error. After Close, commands return ErrClosed.
type Ledgers struct {
	log  *eventstore.Log
	now  eventstore.Clock
	ctx  context.Context
	stop context.CancelFunc
	key  ed25519.PrivateKey // key that signs opening balances (see Open); nil: none are made or used

	mu      sync.Mutex
	owners  map[domain.AccountID]*ledgerOwner
	running sync.WaitGroup
}

// ErrClosed says that the Ledgers were closed before a command was answered.
var ErrClosed = errors.New("the ledgers are closed")

// New returns Ledgers over a log. Close ends it.
func New(log *eventstore.Log, now func() time.Time, options ...Option) *Ledgers {
	ctx, stop := context.WithCancel(context.Background())
	l := &Ledgers{log: log, now: now, ctx: ctx, stop: stop, owners: make(map[domain.AccountID]*ledgerOwner)}
	for _, option := range options {
		option(l)
	}
	return l
}

// Close ends all owners and waits for them. A command that waits for its result gets ErrClosed; its events may have been stored.
func (l *Ledgers) Close() {
	l.mu.Lock()
	l.stop()
	l.mu.Unlock()
	l.running.Wait()
}

// Hold holds credits, or refuses: 401 when the account never had credits, 403 when all are spent or the account is closed,
// 400 when too few are available. For a project whose hold has ended the error is ledger.ErrHoldEnded.
func (l *Ledgers) Hold(ctx context.Context, cmd Hold) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Hold(cmd.Project, cmd.Amount, at)
	})
}

// ChangeHold changes a hold, or refuses with "Insufficient credits". When an attempt after cmd.Attempt has changed the
// hold, or cmd.Attempt has changed it to another amount, the error is ledger.ErrStale. When the hold has ended it is
// ledger.ErrHoldEnded; when there never was one, or its end is no longer remembered, ledger.ErrNoHold.
func (l *Ledgers) ChangeHold(ctx context.Context, cmd ChangeHold) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.ChangeHold(cmd.Project, cmd.Attempt, cmd.Amount, at)
	})
}

// Charge charges a hold. It is idempotent; a released hold is ledger.ErrHoldEnded, a project without a hold
// ledger.ErrNoHold.
func (l *Ledgers) Charge(ctx context.Context, cmd Charge) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Charge(cmd.Project, at)
	})
}

// Release releases a hold. It is idempotent, and does nothing for a project without a hold; a charged hold is
// ledger.ErrHoldEnded.
func (l *Ledgers) Release(ctx context.Context, cmd Release) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Release(cmd.Project, cmd.Reason, at)
	})
}

// Count counts a movie, or refuses: 401 when the month's quota is used up, 403 when the account is closed.
func (l *Ledgers) Count(ctx context.Context, cmd Count) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Count(cmd.Project, cmd.Draft, cmd.Quota, at)
	})
}

// Settle ends a hold or count. It is idempotent; a hold or count that was spent before and is to be given back, or the reverse,
// is ledger.ErrHoldEnded. See ledger.Ledger.Settle.
func (l *Ledgers) Settle(ctx context.Context, cmd Settle) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Settle(cmd.Project, cmd.How, cmd.Reason, at)
	})
}

// Grant adds credits. Two calls with the same reference add them once.
func (l *Ledgers) Grant(ctx context.Context, cmd Grant) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Grant(cmd.Reference, cmd.Kind, cmd.Amount, at)
	})
}

// State returns the totals of an account's ledger according to the log; zero when the account has no ledger.
func (l *Ledgers) State(ctx context.Context, account domain.AccountID) (ledger.Totals, error) {
	var totals ledger.Totals
	err := l.Ask(ctx, account, func(own *ledger.Ledger) error {
		totals = own.Totals()
		return nil
	})
	if err != nil {
		return ledger.Totals{}, err
	}
	return totals, nil
}

// UsedIn returns the movies and drafts counted for an account in the calendar month of t, according to the log.
func (l *Ledgers) UsedIn(ctx context.Context, account domain.AccountID, t time.Time) (movies, drafts int64, err error) {
	err = l.Ask(ctx, account, func(own *ledger.Ledger) error {
		movies, drafts = own.UsedIn(t)
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return movies, drafts, nil
}

// OpenHold returns when a project's open hold or count was made; false when it has none.
func (l *Ledgers) OpenHold(ctx context.Context, account domain.AccountID, project domain.ProjectID) (time.Time, bool, error) {
	var at time.Time
	var open bool
	err := l.Ask(ctx, account, func(own *ledger.Ledger) error {
		_, at, open = own.OpenHold(project)
		return nil
	})
	if err != nil {
		return time.Time{}, false, err
	}
	return at, open, nil
}

// Ask calls the function question with the ledger as it is at the end of the log, and returns the error of question. It may
// call question first with an older state: only the last call counts. After another error, such as that of ctx, question may
// still be running: the caller must not read what it sets.
func (l *Ledgers) Ask(ctx context.Context, account domain.AccountID, question func(*ledger.Ledger) error) error {
	_, err := l.Do(ctx, account, func(own *ledger.Ledger, _ time.Time) ([]domain.Event, error) {
		return nil, question(own)
	})
	return err
}

// Expect calls the function question with the ledger that this process has in memory, and returns nil if question returns
// nil. That ledger may lack new events, which does no harm: the command that the caller decides next is checked against
// the log anyway. If question returns an error, or the process has no ledger of the account in memory, Expect does what
// Ask does: it calls question with the ledger as it is at the end of the log, and returns the error of question.
func (l *Ledgers) Expect(ctx context.Context, account domain.AccountID, question func(*ledger.Ledger) error) error {
	owner, err := l.enter(account)
	if err != nil {
		return err
	}
	defer l.leave(owner)
	if owner.passesCached(question) {
		return nil
	}
	return l.Ask(ctx, account, question)
}

// Do sends the decision decide to the owner of the account's ledger and waits for its result.
func (l *Ledgers) Do(ctx context.Context, account domain.AccountID, decide decideFunc) (eventstore.Appended, error) {
	a := l.send(account, &ledgerRequest{ctx: ctx, decide: decide})
	return a.appended, a.err
}

// send sends a request to the owner of the account's ledger and waits for the answer.
func (l *Ledgers) send(account domain.AccountID, r *ledgerRequest) ledgerAnswer {
	owner, err := l.enter(account)
	if err != nil {
		return ledgerAnswer{err: err}
	}
	defer l.leave(owner)
	r.answer = make(chan ledgerAnswer, 1)
	select {
	case owner.queue <- r:
	case <-r.ctx.Done():
		return ledgerAnswer{err: r.ctx.Err()}
	case <-l.ctx.Done():
		return ledgerAnswer{err: ErrClosed}
	}
	select {
	case a := <-r.answer:
		return a
	case <-r.ctx.Done():
		return ledgerAnswer{err: r.ctx.Err()}
	case <-l.ctx.Done():
		return ledgerAnswer{err: ErrClosed}
	}
}

// enter returns the owner of an account's ledger, and starts it if necessary. The owner keeps running until the caller leaves.
func (l *Ledgers) enter(account domain.AccountID) (*ledgerOwner, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return nil, ErrClosed
	}
	owner, ok := l.owners[account]
	if !ok {
		owner = newLedgerOwner(l, account)
		l.owners[account] = owner
		l.running.Go(func() { owner.run(l.ctx, l.retire) })
	}
	owner.users++
	return owner, nil
}

func (l *Ledgers) leave(owner *ledgerOwner) {
	l.mu.Lock()
	defer l.mu.Unlock()
	owner.users--
}

// retire removes an owner that nobody uses, and reports whether it did.
func (l *Ledgers) retire(owner *ledgerOwner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if owner.users > 0 {
		return false
	}
	delete(l.owners, owner.account)
	return true
}
