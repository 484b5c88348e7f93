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

// maxDelayed bounds the requests with a wrong token that wait at the same time. More are refused without a delay.
const maxDelayed = 32

var errToken = domain.Errorf(domain.Forbidden, "token_invalid", "Invalid token")

// IsTokenRefusal says whether an error is the refusal of a wrong operator's token.
func IsTokenRefusal(err error) bool { return errors.Is(err, errToken) }

// OperatorToken is what an operator shows to be let in. It is safe for concurrent use.
type OperatorToken struct {
	hash    [sha256.Size]byte
	set     bool
	delay   time.Duration
	delayed chan struct{} // a place for each request that waits
}

// NewOperatorToken returns the token with a value. An empty one lets nobody in. A wrong token is refused after the delay.
func NewOperatorToken(value string, delay time.Duration) *OperatorToken {
	return &OperatorToken{hash: sha256.Sum256([]byte(value)), set: value != "", delay: delay,
		delayed: make(chan struct{}, maxDelayed)}
}

// Check returns the refusal `Invalid token`, unless the request carries the token, once. It compares hashes, so that the time it
// takes says nothing about the token, not even its length. The right token, and none, are answered at once; a nil token refuses
// all.
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

// wait holds a request with a wrong token up, so that guessing is slow.
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
