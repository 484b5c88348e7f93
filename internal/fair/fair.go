// Package fair shares a limited resource of a process (memory for bodies, bytes in transfer, connections) between
// accounts, which take turns, so that many requests of one account delay the others little.
package fair

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is the error of a request that has waited too long for an amount of a Budget, or whose account has too many
// waiting requests already. The request may be repeated later.
var ErrBusy = errors.New("too much is under way")

// maxRemembered is the number of accounts at which a Budget forgets the accounts that hold nothing and have no waiting
// requests.
const maxRemembered = 4096

// Limits are the bounds of a Budget. Total is required.
type Limits struct {
	Total   int64         // amount for all accounts together
	Account int64         // amount for one account; 0, or more than Total: Total
	Waiting int           // number of requests of one account that may wait; 0: any number
	Wait    time.Duration // how long a request may wait; 0: until its context ends
}

// Budget is an amount that accounts take parts of and return. Waiting accounts are served in turns: the account whose last
// turn is longest ago is next, and its requests are served in order of arrival. When the request that is next is too large
// for what is left, the accounts behind it wait, too. An account whose next request would exceed its limit is skipped
// until it gives something back. A Budget is safe for concurrent use.
type Budget struct {
	limits Limits

	mu       sync.Mutex
	held     int64
	accounts map[string]*account
	waiting  map[*account]bool // accounts with waiting requests
	turns    uint64            // counter that numbers turns and arriving requests
}

// account is the amount that one account has taken, and its waiting requests.
type account struct {
	held    int64
	last    uint64 // number of the last turn of the account; 0: it has had no turn yet
	waiting []*piece
}

// piece is a request of an account that waits for an amount of a budget.
type piece struct {
	need  int64
	came  uint64
	taken chan struct{} // closed when the request has got its amount
}

// Part is an amount that was taken from a budget.
type Part struct {
	budget  *Budget
	account string
	size    int64 // amount of the part; guarded by budget.mu
}

// New returns a budget with nothing taken.
func New(limits Limits) *Budget {
	if limits.Account <= 0 || limits.Account > limits.Total {
		limits.Account = limits.Total
	}
	return &Budget{limits: limits, accounts: map[string]*account{}, waiting: map[*account]bool{}}
}

// Take waits until an account gets an amount of the given size from the budget, and returns this amount as a Part. The
// parameter of is the id of the account. A size above the limit for one account is reduced to that limit. If Take returns
// an error (ErrBusy, or the cause of the end of ctx), the account has got nothing. A caller that holds a Part of the same
// budget must not call Take: it could wait for itself.
func (b *Budget) Take(ctx context.Context, of string, size int64) (*Part, error) {
	if b.limits.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.limits.Wait, ErrBusy)
		defer cancel()
	}
	size = max(0, min(size, b.limits.Account))
	p := b.queue(of, size)
	if p == nil {
		return nil, ErrBusy
	}
	select {
	case <-p.taken:
		return &Part{b, of, size}, nil
	default:
	}
	select {
	case <-p.taken:
		return &Part{b, of, size}, nil
	case <-ctx.Done():
		b.giveUp(of, p)
		return nil, context.Cause(ctx)
	}
}

// queue adds a request of an account to those that wait, and serves it at once if possible. The parameter of is the id of
// the account. If too many requests of the account wait already, queue returns nil and does not add the request.
func (b *Budget) queue(of string, size int64) *piece {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[of]
	if a == nil {
		b.trim()
		a = &account{}
		b.accounts[of] = a
	}
	b.turns++
	p := &piece{need: size, came: b.turns, taken: make(chan struct{})}
	a.waiting = append(a.waiting, p)
	b.waiting[a] = true
	b.serve()
	if most := b.limits.Waiting; most > 0 && len(a.waiting) > most {
		b.remove(a, p)
		return nil
	}
	return p
}

// giveUp removes the waiting request p from the queue of its account, whose id is the parameter of. If the request has got
// its amount in the meantime, giveUp returns that amount to the budget.
func (b *Budget) giveUp(of string, p *piece) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[of]
	if !b.remove(a, p) {
		b.put(a, p.need)
	}
	b.serve()
}

// remove removes the waiting request p from the queue of account a, and reports whether the request was there. The caller
// holds b.mu.
func (b *Budget) remove(a *account, p *piece) bool {
	for i, other := range a.waiting {
		if other != p {
			continue
		}
		a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
		if len(a.waiting) == 0 {
			delete(b.waiting, a)
		}
		return true
	}
	return false
}

// serve gives waiting requests their amounts, in the order of their turns, until one needs more than is left. The caller
// holds b.mu.
func (b *Budget) serve() {
	for a := b.next(); a != nil; a = b.next() {
		p := a.waiting[0]
		if b.held+p.need > b.limits.Total {
			return
		}
		b.remove(a, p)
		b.turns++
		a.last = b.turns
		a.held += p.need
		b.held += p.need
		close(p.taken)
	}
}

// next is the account whose turn it is; nil: no waiting request would stay within the limit of its account. The caller
// holds b.mu.
func (b *Budget) next() *account {
	var first *account
	for a := range b.waiting {
		if a.held+a.waiting[0].need > b.limits.Account {
			continue
		}
		if first == nil || a.last < first.last || a.last == first.last && a.waiting[0].came < first.waiting[0].came {
			first = a
		}
	}
	return first
}

// put gives an amount back to the budget. The caller holds b.mu.
func (b *Budget) put(a *account, size int64) {
	a.held -= size
	b.held -= size
}

// trim forgets accounts that hold nothing and have no waiting requests, once there are maxRemembered accounts. The caller
// holds b.mu.
func (b *Budget) trim() {
	if len(b.accounts) < maxRemembered {
		return
	}
	for name, a := range b.accounts {
		if a.held == 0 && len(a.waiting) == 0 {
			delete(b.accounts, name)
		}
	}
}

// Held is the amount taken by all accounts.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Grow enlarges a part up to a size, if that is possible at once. false: the part is unchanged.
func (p *Part) Grow(size int64) bool {
	b := p.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	a, more := b.accounts[p.account], size-p.size
	switch {
	case more <= 0:
		return true
	case a.held+more > b.limits.Account || b.held+more > b.limits.Total:
		return false
	}
	a.held += more
	b.held += more
	p.size = size
	return true
}

// Shrink reduces a part to a size, and returns the rest to the budget. A smaller part stays as it is.
func (p *Part) Shrink(size int64) {
	b := p.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if size >= p.size {
		return
	}
	b.put(b.accounts[p.account], p.size-size)
	p.size = size
	b.serve()
}

// Release gives the whole part back to the budget. Repeating it does nothing.
func (p *Part) Release() { p.Shrink(0) }
