// Package accounts has the use cases of operators: they open, change, close and purge accounts, grant credits, and issue and
// revoke API keys. What an operator does is recorded as an act.
package accounts
