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

// OperatorTokenHeader carries the operator's token. Spec: Authentication 7; decision "Roles".
const OperatorTokenHeader = "X-Admin-Token"

// maxDelayed is the maximum of concurrently delayed requests with a wrong token. Further ones are refused without a delay.
const maxDelayed = 32

var errToken = domain.Errorf(domain.Forbidden, "token_invalid", "Invalid token")

// IsTokenRefusal reports whether an error is the refusal of a wrong operator's token.
func IsTokenRefusal(err error) bool { return errors.Is(err, errToken) }

var errOperatorRole = domain.Errorf(domain.Forbidden, "operator_role", "Your role as an operator does not allow this: "+
	"an owner can give you another")

// OperatorHolders knows whose token one is. accounts.Operators does.
type OperatorHolders interface {
	Holder(ctx context.Context, token string) (operator.Added, bool, error)
}

// OperatorNameHeader carries the name of the acting operator for the audit trail, when the token is that of the configuration.
// It is not verified: several people may share that token. Operators with tokens of their own are named by these.
const OperatorNameHeader = "X-Operator"

// Acting is who an operator's request comes from. Name is empty for the token of the configuration, which several people may
// share.
type Acting struct {
	Name string
	Role operator.Role
}

// OperatorToken finds out which operator a request comes from: one with a token of their own, or whoever has the token of the
// configuration. It is safe for concurrent use.
type OperatorToken struct {
	hash    [sha256.Size]byte
	set     bool
	delay   time.Duration
	delayed chan struct{} // one place for each delayed request
	holders OperatorHolders
}

// NewOperatorToken returns the token with a value. With an empty value every request is refused. A wrong token is refused after
// the delay. holders knows the operators with tokens of their own; nil: there are none.
func NewOperatorToken(value string, delay time.Duration, holders OperatorHolders) *OperatorToken {
	return &OperatorToken{hash: sha256.Sum256([]byte(value)), set: value != "", delay: delay,
		delayed: make(chan struct{}, maxDelayed), holders: holders}
}

// Check is Admit for what a request's method needs: a role that reads, or one that acts.
func (t *OperatorToken) Check(r *http.Request) error {
	_, err := t.Admit(r, RoleFor(r.Method))
	return err
}

// RoleFor is the least role of operators for a method.
func RoleFor(method string) operator.Role {
	if method == http.MethodGet || method == http.MethodHead {
		return operator.Observer
	}
	return operator.Acting
}

// ID tells the token of the configuration from others of sessions: the beginning of its hash. It is empty when there is none.
func (t *OperatorToken) ID() string {
	if t == nil || !t.set {
		return ""
	}
	return operator.TokenID(hex.EncodeToString(t.hash[:]))
}

type actingKey struct{}

// WithActing returns the context of a request that whoever serves it in this process has found out the operator of: the
// operators' console, from its session. No token is looked for in such a request. Decision 82.
func WithActing(ctx context.Context, acting Acting) context.Context {
	return context.WithValue(ctx, actingKey{}, acting)
}

// Admit returns who acts. It returns the refusal `Invalid token` unless the request carries exactly one token, and that is valid,
// and the refusal `operator_role` when the token's operator is below the role. It compares hashes, so that the response time
// tells nothing about a token, not even its length. Requests with a valid token, or with none, are answered without a delay. A
// nil OperatorToken refuses all.
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
