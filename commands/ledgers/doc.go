// Package ledgers decides what happens to the credits of accounts: for example grants, holds, charges and releases, each an
// event on the account's ledger. In a process one goroutine owns the ledger of an account: see the diagram in owner.go.
package ledgers
