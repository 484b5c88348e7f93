package web

import (
	"net/http"
	"unicode/utf8"

	"moviola/domain"
)

// IdempotencyHeader contains the idempotency key that a client chooses for a request that it may retry. Decision 25.
const IdempotencyHeader = "Idempotency-Key"

const maxIdempotencyKey = 255

var errIdempotencyKey = domain.Errorf(domain.Invalid, "idempotency_key_invalid",
	"The header Idempotency-Key must be given once, with 1 to %d characters", maxIdempotencyKey)

// IdempotencyKey reads a request's idempotency key; empty: the request has no key.
func IdempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values(IdempotencyHeader)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || values[0] == "" || utf8.RuneCountInString(values[0]) > maxIdempotencyKey:
		return "", errIdempotencyKey
	}
	return values[0], nil
}
