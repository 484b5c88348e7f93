// Package accounts has the use cases of operators: they open, change, close and purge accounts, grant credits, issue and revoke
// keys; and their acts are recorded.
package accounts
