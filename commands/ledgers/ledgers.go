package ledgers

import (
	"context"
	"errors"
	"sync"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// Hold sets credits aside for a project. A project is held once, ever.
type Hold struct {
	Account domain.AccountID
	Project domain.ProjectID
	Amount  int64 // at least 1
}

// ChangeHold sets an open hold to the exact amount, once it is known. Attempt is the render attempt that found it.
type ChangeHold struct {
	Account domain.AccountID
	Project domain.ProjectID
	Attempt int
	Amount  int64 // the new amount, at least 1
}

// Charge spends the whole hold of a project.
type Charge struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// Count counts a movie, or a draft, on a counted plan. A project is counted once, ever.
type Count struct {
	Account domain.AccountID
	Project domain.ProjectID
	Draft   bool
	Quota   ledger.Quota
}

// Settle ends a project's hold or count, whichever it has.
type Settle struct {
	Account domain.AccountID
	Project domain.ProjectID
	How     ledger.Ending
	Reason  string // why something is given back
}

// Release makes the whole hold of a project available again.
type Release struct {
	Account domain.AccountID
	Project domain.ProjectID
	Reason  string // failed, timeout, cancelled, abandoned
}

// Grant adds credits. A second grant with the same reference is the same grant.
type Grant struct {
	Account   domain.AccountID
	Reference string
	Kind      string // "pack" gives a free account the paid length (decision 36)
	Amount    int64
}

// Ledgers decides what happens to the credits of every account, on the ledger's stream and never on a projection. Each account
// that is in use has one owner, which keeps the folded ledger in memory, decides the waiting commands in order and
// appends what they come to in one append. Other processes are met by exact revision. All methods are safe for concurrent
// use; their refusals are *domain.Error. After Close they return ErrClosed.
type Ledgers struct {
	log  *eventstore.Log
	now  eventstore.Clock
	ctx  context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	owners  map[domain.AccountID]*ledgerOwner
	running sync.WaitGroup
}

// ErrClosed says that the Ledgers were closed while, or before, a command waited.
var ErrClosed = errors.New("the ledgers are closed")

// New returns Ledgers over a log. Close ends it.
func New(log *eventstore.Log, now func() time.Time) *Ledgers {
	ctx, stop := context.WithCancel(context.Background())
	return &Ledgers{log: log, now: now, ctx: ctx, stop: stop, owners: make(map[domain.AccountID]*ledgerOwner)}
}

// Close ends every owner and waits until all have ended. The outcome of a command that waits is then unknown to its caller.
func (l *Ledgers) Close() {
	l.mu.Lock()
	l.stop()
	l.mu.Unlock()
	l.running.Wait()
}

// Hold holds credits, or refuses: 401 without any credits ever, 403 when all are spent, 400 when fewer are available.
func (l *Ledgers) Hold(ctx context.Context, cmd Hold) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Hold(cmd.Project, cmd.Amount, at)
	})
}

// ChangeHold changes a hold, or refuses with "Insufficient credits". An attempt that is not the last is ledger.ErrStale.
func (l *Ledgers) ChangeHold(ctx context.Context, cmd ChangeHold) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.ChangeHold(cmd.Project, cmd.Attempt, cmd.Amount, at)
	})
}

// Charge spends a hold. Doing it again changes nothing; a hold that was released is ledger.ErrHoldEnded.
func (l *Ledgers) Charge(ctx context.Context, cmd Charge) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Charge(cmd.Project, at)
	})
}

// Release gives a hold back. Doing it again changes nothing; a hold that was charged is ledger.ErrHoldEnded.
func (l *Ledgers) Release(ctx context.Context, cmd Release) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Release(cmd.Project, cmd.Reason, at)
	})
}

// Count counts a movie, or refuses: 401 when the month's quota is used up.
func (l *Ledgers) Count(ctx context.Context, cmd Count) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Count(cmd.Project, cmd.Draft, cmd.Quota, at)
	})
}

// Settle ends a hold or count. Doing it again changes nothing; one that has ended otherwise is ledger.ErrHoldEnded.
func (l *Ledgers) Settle(ctx context.Context, cmd Settle) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Settle(cmd.Project, cmd.How, cmd.Reason, at)
	})
}

// Grant adds credits. Doing it again with the same reference changes nothing.
func (l *Ledgers) Grant(ctx context.Context, cmd Grant) (eventstore.Appended, error) {
	return l.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		return own.Grant(cmd.Reference, cmd.Kind, cmd.Amount, at)
	})
}

// State returns the sums of an account's ledger as the log has them now. An account without ledger has none of anything.
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

// UsedIn returns what an account on a counted plan has had in the calendar month of a time, as the log has it now.
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

// OpenHold returns when a project's open hold or count was made: false when it has none.
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

// Ask lets a question be answered from the ledger as the log has it now.
func (l *Ledgers) Ask(ctx context.Context, account domain.AccountID, question func(*ledger.Ledger) error) error {
	_, err := l.Do(ctx, account, func(own *ledger.Ledger, _ time.Time) ([]domain.Event, error) {
		return nil, question(own)
	})
	return err
}

// Expect checks a question against the cached ledger. A refusal is checked again on the log, a pass is not: the decision that
// follows is made on the log anyway.
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

// Do hands a decision to the account's owner and waits for its outcome.
func (l *Ledgers) Do(ctx context.Context, account domain.AccountID, decide decideFunc) (eventstore.Appended, error) {
	a := l.send(account, &ledgerRequest{ctx: ctx, decide: decide})
	return a.appended, a.err
}

// send hands a request to the account's owner and waits for the answer.
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

// enter returns the owner of an account's ledger, started if need be. It stays until the caller leaves.
func (l *Ledgers) enter(account domain.AccountID) (*ledgerOwner, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return nil, ErrClosed
	}
	owner, ok := l.owners[account]
	if !ok {
		owner = newLedgerOwner(l.log, l.now, account)
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

// retire forgets an owner that nobody is using, and says whether it did.
func (l *Ledgers) retire(owner *ledgerOwner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if owner.users > 0 {
		return false
	}
	delete(l.owners, owner.account)
	return true
}
