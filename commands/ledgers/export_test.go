package ledgers

import "moviola/domain"

// Bounds of this package, for tests.
const (
	Queue = ledgerQueue
	Group = ledgerGroup
	Idle  = ledgerIdle
)

// Owners counts the accounts whose ledger is in memory.
func (l *Ledgers) Owners() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.owners)
}

// Enter makes the caller a user of an account's owner until it calls leave. retire does what the owner does when it has been
// idle.
func (l *Ledgers) Enter(account domain.AccountID) (retire func() bool, leave func()) {
	owner, err := l.enter(account)
	if err != nil {
		return func() bool { return false }, func() {}
	}
	return func() bool { return l.retire(owner) }, func() { l.leave(owner) }
}
