package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"moviola/domain"
)

// OperatorTokenHeader carries the operator's token. Spec: Authentication 7; decision "Roles".
const OperatorTokenHeader = "X-Admin-Token"

// maxDelayed is the maximum of concurrently delayed requests with a wrong token. Further ones are refused without a delay.
const maxDelayed = 32

var errToken = domain.Errorf(domain.Forbidden, "token_invalid", "Invalid token")

// IsTokenRefusal reports whether an error is the refusal of a wrong operator's token.
func IsTokenRefusal(err error) bool { return errors.Is(err, errToken) }

// OperatorToken is the secret with which operators authenticate. It is safe for concurrent use.
type OperatorToken struct {
	hash    [sha256.Size]byte
	set     bool
	delay   time.Duration
	delayed chan struct{} // one place for each delayed request
}

// NewOperatorToken returns the token with a value. With an empty value every request is refused. A wrong token is refused after
// the delay.
func NewOperatorToken(value string, delay time.Duration) *OperatorToken {
	return &OperatorToken{hash: sha256.Sum256([]byte(value)), set: value != "", delay: delay,
		delayed: make(chan struct{}, maxDelayed)}
}

// Check returns the refusal `Invalid token`, unless the request carries the token exactly once. It compares hashes, so that the
// response time tells nothing about the token, not even its length. Requests with the right token, or with none, are answered
// without a delay; a nil token refuses all.
func (t *OperatorToken) Check(r *http.Request) error {
	values := r.Header.Values(OperatorTokenHeader)
	if t == nil || len(values) == 0 {
		return errToken
	}
	given := sha256.Sum256([]byte(values[0]))
	if t.set && len(values) == 1 && subtle.ConstantTimeCompare(given[:], t.hash[:]) == 1 {
		return nil
	}
	t.wait(r)
	return errToken
}

// wait delays a request with a wrong token, so that guessing is slow.
func (t *OperatorToken) wait(r *http.Request) {
	if t.delay <= 0 {
		return
	}
	select {
	case t.delayed <- struct{}{}:
		defer func() { <-t.delayed }()
	default:
		return
	}
	timer := time.NewTimer(t.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}
