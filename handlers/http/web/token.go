package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"moviola/domain"
	"moviola/domain/operator"
)

// OperatorTokenHeader contains the operator's token. Spec: Authentication 7; decision "Roles".
const OperatorTokenHeader = "X-Admin-Token"

// maxDelayed is the maximum number of requests with a wrong token that are delayed at the same time. Further requests are
// refused without a delay.
const maxDelayed = 32

var errToken = domain.Errorf(domain.Forbidden, "token_invalid", "Invalid token")

// IsTokenRefusal reports whether an error is the refusal of a missing or wrong operator's token.
func IsTokenRefusal(err error) bool { return errors.Is(err, errToken) }

var errOperatorRole = domain.Errorf(domain.Forbidden, "operator_role", "Your role as an operator does not allow this: "+
	"an owner can give you another")

// OperatorHolders finds the operator who has a token. accounts.Operators implements it.
type OperatorHolders interface {
	Holder(ctx context.Context, token string) (operator.Added, bool, error)
}

// OperatorNameHeader contains the name of the acting operator for the audit trail, in requests with the configured token. Several
// people may share that token, so the name is not verified. An operator with a token of their own is recorded under the token's
// name instead.
const OperatorNameHeader = "X-Operator"

// Acting is the operator who makes a request. Name is empty with the configured token, which several people may share.
type Acting struct {
	Name string
	Role operator.Role
	// Issuer and Subject identify the operator at the identity provider; empty: the operator used a token.
	Issuer, Subject string
	// Stale is true when the operator has signed in to the console so long ago that acts which need a fresh sign-in are refused.
	// Decision 89.
	Stale bool
}

// OperatorToken finds out which operator makes a request: an operator with a token of their own, or a holder of the configured
// token. It is safe for concurrent use.
type OperatorToken struct {
	hash    [sha256.Size]byte
	set     bool
	delay   time.Duration
	delayed chan struct{} // has one element for each delayed request
	holders OperatorHolders
}

// NewOperatorToken returns an OperatorToken for a configured token. With an empty value, that token is never valid. A wrong
// token is refused after the delay, but at once while maxDelayed requests are being delayed. holders knows the operators'
// own tokens; nil: operators have no tokens of their own.
func NewOperatorToken(value string, delay time.Duration, holders OperatorHolders) *OperatorToken {
	return &OperatorToken{hash: sha256.Sum256([]byte(value)), set: value != "", delay: delay,
		delayed: make(chan struct{}, maxDelayed), holders: holders}
}

// Check returns an error unless an operator makes the request, with a role that is high enough for the request's
// method. Admit says how the operator is found, and RoleFor which role a method needs.
func (t *OperatorToken) Check(r *http.Request) error {
	_, err := t.Admit(r, RoleFor(r.Method))
	return err
}

// RoleFor returns the minimum role of operators for a method: reading methods need another role than those that change
// something.
func RoleFor(method string) operator.Role {
	if method == http.MethodGet || method == http.MethodHead {
		return operator.Observer
	}
	return operator.Acting
}

// ID returns the id of the configured token in sessions: the beginning of its hash. Without a configured token it returns
// an empty text.
func (t *OperatorToken) ID() string {
	if t == nil || !t.set {
		return ""
	}
	return operator.TokenID(hex.EncodeToString(t.hash[:]))
}

type actingKey struct{}

// WithActing returns the context of a request whose operator is already known from a session of the operators' console. Such a
// request needs no token. Decision 82.
func WithActing(ctx context.Context, acting Acting) context.Context {
	return context.WithValue(ctx, actingKey{}, acting)
}

// Admit returns the operator who makes a request: the one of WithActing, or else the one whose token the request has. It
// refuses with `Invalid token` unless there is exactly one token and it is valid, and with `operator_role` when the
// operator's role is too low. It compares hashes, so that the response time reveals nothing about a token, not even its
// length. A request without a token is refused without a delay. A nil OperatorToken accepts no token.
func (t *OperatorToken) Admit(r *http.Request, least operator.Role) (Acting, error) {
	if acting, ok := r.Context().Value(actingKey{}).(Acting); ok {
		if !acting.Role.AtLeast(least) {
			return Acting{}, errOperatorRole
		}
		return acting, nil
	}
	values := r.Header.Values(OperatorTokenHeader)
	if t == nil || len(values) == 0 {
		return Acting{}, errToken
	}
	given := sha256.Sum256([]byte(values[0]))
	if t.set && len(values) == 1 && subtle.ConstantTimeCompare(given[:], t.hash[:]) == 1 {
		return Acting{Role: operator.Owner}, nil
	}
	if t.holders != nil && len(values) == 1 {
		holder, ok, err := t.holders.Holder(r.Context(), values[0])
		switch {
		case err != nil:
			return Acting{}, err
		case ok && !holder.Role.AtLeast(least):
			return Acting{}, errOperatorRole
		case ok:
			return Acting{Name: holder.Name, Role: holder.Role}, nil
		}
	}
	t.wait(r)
	return Acting{}, errToken
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
