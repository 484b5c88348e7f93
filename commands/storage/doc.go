// Package storage has the types by which use cases and storages of files exchange facts: the account to which a file counts, the
// reason why a file does not fit, and the fault that was found in a file.
package storage
