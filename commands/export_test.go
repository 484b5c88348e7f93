package commands

import (
	"time"

	"moviola/domain"
)

// The bounds that tests speak of.
const (
	LedgerQueue = ledgerQueue
	LedgerGroup = ledgerGroup
	LedgerIdle  = ledgerIdle
	SubmitLimit = submitLimit
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

// Stamp is the time that an event gets from a clock.
func Stamp(now func() time.Time) time.Time { return clock(now).stamp() }
