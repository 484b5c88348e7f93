// Package remote has the commands that ask a running service over HTTP: those of its operators, and those of its clients. A movie
// is validated here, too, when no service is named.
package remote
