package access

import (
	"context"
	"fmt"
	"net/http"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/projections/keyring"
)

// keyHeader is the only header or parameter from which a key is read. Decision 3.
const keyHeader = "X-Api-Key"

// The refusals of authentication. They do not tell whether a key was revoked, has expired or never existed. Spec: Authentication;
// decision 3.
var (
	ErrKeyMissing = domain.Errorf(domain.Unauthenticated, "api_key_missing", "Invalid or missing API key")
	ErrKeyInvalid = domain.Errorf(domain.Unauthenticated, "api_key_invalid", "Invalid or missing API key")

	errAccounts = domain.Errorf(domain.Invalid, "account_ambiguous", "The parameter account is given twice, with different values")
	errRole     = domain.Errorf(domain.Forbidden, "insufficient_permissions", "Insufficient permissions")
)

type holderKey struct{}

// WithHolder returns a context for a request whose caller is known already, because the console has found the holder from a
// session. No key is read from such a request. Decision 62.
func WithHolder(ctx context.Context, holder keyring.Holder) context.Context {
	return context.WithValue(ctx, holderKey{}, holder)
}

// authenticate returns the account and role of a request's key, and whether the key is of a legacy kind. A malformed key is
// refused without a lookup.
func (g *Gate) authenticate(r *http.Request) (c Call, legacy bool, err error) {
	if holder, ok := r.Context().Value(holderKey{}).(keyring.Holder); ok {
		return Call{Account: holder.Account, Role: holder.Role}, holder.Legacy, nil
	}
	values := r.Header.Values(keyHeader)
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return Call{}, false, ErrKeyMissing
	}
	// Two keys in one request are refused, because proxies and servers differ in which of the two they use.
	if len(values) > 1 || !key.Check(values[0]) {
		return Call{}, false, ErrKeyInvalid
	}
	holder, ok, err := g.cfg.Keys.Holder(r.Context(), key.Hash(values[0]))
	if err != nil {
		return Call{}, false, fmt.Errorf("look up an API key: %w", err)
	}
	if !ok {
		return Call{}, false, ErrKeyInvalid
	}
	return Call{Account: holder.Account, Role: holder.Role}, holder.Legacy, nil
}

// Caller returns the account and role of the key in a request to a handler that is not an operation of the API.
func (g *Gate) Caller(r *http.Request) (Call, error) {
	c, _, err := g.authenticate(r)
	return c, err
}

// ActFor lets an operator act for another account than the one whose API key the request has: the account in the query
// parameter account. Without that parameter, ActFor returns c unchanged. With it, the request must have a valid operator's
// token besides the API key, and Config.Exists must know the account. The operation must declare the parameter account and
// the header web.OperatorTokenHeader. Decision "Roles".
func (g *Gate) ActFor(r *http.Request, c Call) (Call, error) {
	account, ok := c.One("account")
	if !ok {
		return c, errAccounts
	}
	if account == "" {
		return c, nil
	}
	c.Account = domain.AccountID(account)
	if err := g.cfg.Operator.Check(r); err != nil || g.cfg.Exists == nil {
		return c, err
	}
	exists, err := g.cfg.Exists(r.Context(), c.Account)
	if err == nil && !exists {
		err = domain.Errorf(domain.NotFound, "account_not_found", "Account %s not found", c.Account)
	}
	return c, err
}
