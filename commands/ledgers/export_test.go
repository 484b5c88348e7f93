package ledgers

import "moviola/domain"

// The bounds that tests speak of.
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

// Enter does what a caller does before it asks an account's owner. retire is what the owner does when it has been idle.
func (l *Ledgers) Enter(account domain.AccountID) (retire func() bool, leave func()) {
	owner, err := l.enter(account)
	if err != nil {
		return func() bool { return false }, func() {}
	}
	return func() bool { return l.retire(owner) }, func() { l.leave(owner) }
}
