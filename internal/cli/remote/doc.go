// Package remote has the commands that call a running service over HTTP: those for operators, and those for clients. `validate`
// works without a service, too.
package remote
