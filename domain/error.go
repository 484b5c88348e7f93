package domain

import "fmt"

// Kind is the class of a refusal. The HTTP handlers map it to a status code.
type Kind int

// The kinds of refusal. The zero Kind is Internal, so that an error without a kind is never shown to a client.
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
	Unavailable // a part of the service does not answer at the moment
)

// Family returns who is responsible for a failure: the movie, the account, or the service itself.
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

// Error is an error whose text a client may read. Message tells the client what is wrong or what to change; Code is stable,
// snake_case and listed in the interface description (decision 1).
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
