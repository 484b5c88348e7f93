// Package audits has the command that recomputes all credits from the raw events, and prints statements of accounts.
package audits
