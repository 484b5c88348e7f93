// Package accounts has the use cases of those who run an installation: they open, change, close and purge accounts, grant
// credits, issue and revoke keys, and every act of theirs is recorded.
package accounts
