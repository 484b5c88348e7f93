package claims

import (
	"errors"
	"syscall"

	"moviola/commands"
	"moviola/eventstore"
)

// temporary marks an error as transient: it comes from this machine or from a store, and a retry
// may succeed.
type temporary struct{ error }

// Unwrap returns the error that Transient was called with.
func (t temporary) Unwrap() error { return t.error }

// Transient marks an error as transient.
func Transient(err error) error { return temporary{err} }

// Passes reports whether an error is transient, so that it is retried without limit.
func Passes(err error) bool {
	var marked temporary
	return errors.As(err, &marked) || errors.Is(err, eventstore.ErrUnavailable) || errors.Is(err, commands.ErrAway) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}
