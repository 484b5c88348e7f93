// Package exit says how the process ends after a command that failed in a way of its own.
package exit

// The exit codes of commands that look for mistakes.
const (
	Findings   = 1
	NotChecked = 2
)

// Error is an error that the process ends with in a way of its own.
type Error struct {
	error
	Code int
}

// With is an error that the process ends with by an exit code.
func With(err error, code int) Error { return Error{err, code} }

// Unwrap returns the error.
func (e Error) Unwrap() error { return e.error }
