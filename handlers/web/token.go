package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"moviola/domain"
)

// OperatorTokenHeader carries the operator's token. Spec: Authentication 7; decision "Roles".
const OperatorTokenHeader = "X-Admin-Token"

var errToken = domain.Errorf(domain.Forbidden, "token_invalid", "Invalid token")

// OperatorToken is what an operator shows to be let in.
type OperatorToken struct {
	hash [sha256.Size]byte
	set  bool
}

// NewOperatorToken returns the token with a value. An empty one lets nobody in.
func NewOperatorToken(value string) OperatorToken {
	return OperatorToken{hash: sha256.Sum256([]byte(value)), set: value != ""}
}

// Check returns the refusal `Invalid token`, unless the request carries the token, once. It compares hashes, so that the time it
// takes says nothing about the token, not even its length.
func (t OperatorToken) Check(r *http.Request) error {
	values := r.Header.Values(OperatorTokenHeader)
	if !t.set || len(values) != 1 {
		return errToken
	}
	given := sha256.Sum256([]byte(values[0]))
	if subtle.ConstantTimeCompare(given[:], t.hash[:]) != 1 {
		return errToken
	}
	return nil
}
