// Package accounts has the use cases of accounts and of operators: accounts are opened, changed, closed and purged, get
// credits and API keys, and end sessions of the console; operators get tokens and sessions. What an operator does is
// recorded as an act.
package accounts
