// Package fair shares what a process has only so much of (memory for bodies, bytes on their way, connections) between accounts,
// which take turns for it: a flood of one account keeps another waiting for one piece of its work, not for all of it.
package fair

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy says that something has waited too long for its part, or that too much of its account waits already: it may come again
// later.
var ErrBusy = errors.New("too much is under way")

// maxRemembered bounds how many accounts' last turns are kept.
const maxRemembered = 4096

// Limits are the bounds of a Budget. Total is required.
type Limits struct {
	Total   int64         // of all accounts
	Account int64         // of one account; 0, or more than Total: Total
	Waiting int           // pieces of one account that may wait; 0: any number
	Wait    time.Duration // how long a piece waits at most; 0: until its context ends
}

// Budget is an amount that accounts take parts of and give back. Whoever waits is served in turns: the account whose last turn is
// longest ago is next, and its pieces are served in the order in which they came. What is next is never passed by for being
// large. An account that has as much as it may have is left out until it gives something back. A Budget is safe for concurrent
// use.
type Budget struct {
	limits Limits

	mu       sync.Mutex
	held     int64
	accounts map[string]*account
	waiting  map[*account]bool // those with pieces that wait
	turns    uint64            // counted: the number of the last turn, and of the last piece that came
}

// account is what one account has of a budget, and what of it waits.
type account struct {
	held    int64
	last    uint64 // its last turn; 0: it had none
	waiting []*piece
}

// piece is something that waits for its part.
type piece struct {
	need  int64
	came  uint64
	taken chan struct{} // closed when it has its part
}

// Part is what somebody has of a budget.
type Part struct {
	budget  *Budget
	account string
	size    int64 // guarded by budget.mu
}

// New returns a budget of which nothing is taken.
func New(limits Limits) *Budget {
	if limits.Account <= 0 || limits.Account > limits.Total {
		limits.Account = limits.Total
	}
	return &Budget{limits: limits, accounts: map[string]*account{}, waiting: map[*account]bool{}}
}

// Take waits for a part of a size and returns it; a size beyond what an account may have is cut down to that. It ends with
// ErrBusy, or with the cause of ctx, and has nothing then. Nobody may wait who has a part of the same budget: he might wait for
// himself.
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

// queue lets a piece wait, and serves it at once when it can be. Nil: too many of the account wait.
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

// giveUp takes back a piece that waits no more, or the part that it was given just then.
func (b *Budget) giveUp(of string, p *piece) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[of]
	if !b.remove(a, p) {
		b.put(a, p.need)
	}
	b.serve()
}

// remove takes a piece out of its account's queue, and says whether it was there. b.mu is held.
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

// serve gives out parts until what is next does not fit. b.mu is held.
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

// next is the account whose turn it is; nil: none waits that may have more. b.mu is held.
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

// put counts a part back. b.mu is held.
func (b *Budget) put(a *account, size int64) {
	a.held -= size
	b.held -= size
}

// trim forgets the accounts that have nothing and wait for nothing, when there are too many. b.mu is held.
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

// Held is how much is taken, by all accounts.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Grow makes a part larger, up to a size, if there is room at once: false, and it stays as it is, if there is not.
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

// Shrink gives back what a part has beyond a size.
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

// Release gives the part back. Doing it again changes nothing.
func (p *Part) Release() { p.Shrink(0) }
