// Package exit carries the exit codes of commands.
package exit

// Exit codes of commands that check or ask something.
const (
	Findings   = 1 // something was found, was refused or has failed
	NotChecked = 2 // the command could not do its work
)

// Error is an error with an exit code.
type Error struct {
	error
	Code int
}

// With returns an error with an exit code.
func With(err error, code int) Error { return Error{err, code} }

// Unwrap returns the error.
func (e Error) Unwrap() error { return e.error }
