package domain

import "fmt"

// Kind says which family of refusal an Error belongs to. The HTTP side maps it to a status.
type Kind int

// The kinds of refusal. The zero Kind is Internal, so that an error nobody classified is never shown to a client.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	QuotaExceeded
	PaymentRequired
	Forbidden
	NotFound
	Conflict
	TooLarge
	Unavailable // a part of the service does not answer now
)

// Family says whose a failure is: the movie's, the account's, or the service's own.
func (k Kind) Family() string {
	switch k {
	case Invalid, NotFound, Conflict, TooLarge:
		return "movie"
	case Unauthenticated, QuotaExceeded, PaymentRequired, Forbidden:
		return "account"
	default:
		return "service"
	}
}

// Error is the only error whose text a client may read. Message says what to change; Code is stable, snake_case and
// listed in the interface description (decision 1).
type Error struct {
	Kind    Kind
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an Error whose message is formatted as by fmt.Sprintf.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}
