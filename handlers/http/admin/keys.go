package admin

import (
	"net/http"
	"net/url"
	"strings"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/keys"
	"moviola/handlers/http/web"
)

// KeyLister answers with a page of an account's API keys.
type KeyLister interface {
	List(w http.ResponseWriter, r *http.Request, account domain.AccountID, query url.Values) error
}

// KeyCalls are the dependencies of the operations on API keys. Every field is required.
type KeyCalls struct {
	List   KeyLister
	Issue  keys.Issuer
	Revoke keys.Revoker
}

var errNoAccount = domain.Errorf(domain.Invalid, "account_missing", "account is required")

// listKeys serves GET /admin/keys?account=.
func (a *API) listKeys(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	account, ok := web.One(query, "account")
	if !ok || account == "" {
		return errNoAccount
	}
	if _, err := a.find(r.Context(), domain.AccountID(account)); err != nil {
		return err
	}
	return a.cfg.Keys.List.List(w, r, domain.AccountID(account), query)
}

type issueRequest struct {
	Account   domain.AccountID `json:"account"`
	Name      string           `json:"name"`
	Role      string           `json:"role"`   // role of the new key; missing for a legacy key
	Legacy    string           `json:"legacy"` // kind of a legacy key: primary or secondary; missing for other keys
	ExpiresAt *string          `json:"expires_at"`
}

type issuedKey struct {
	Success   bool             `json:"success"`
	Account   domain.AccountID `json:"account"`
	ID        string           `json:"id"`
	Key       string           `json:"key"` // the API key itself; only this answer contains it
	Role      key.Role         `json:"role"`
	Legacy    *string          `json:"legacy"`
	ExpiresAt *string          `json:"expires_at"`
}

// issueKey serves POST /admin/keys, the only operation that issues legacy keys. Decision "Roles".
func (a *API) issueKey(w http.ResponseWriter, r *http.Request) error {
	var body issueRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.Account == "":
		return errNoAccount
	case body.Legacy != "" && body.Role != "":
		return domain.Errorf(domain.Invalid, "legacy_invalid", "A legacy key has no role of its own: leave out role or legacy")
	}
	expires, err := keys.Expiry(body.ExpiresAt)
	if err != nil {
		return err
	}
	if err := a.act(r, "issue key", string(body.Account), strings.TrimSpace(body.Role+body.Legacy+" "+body.Name)); err != nil {
		return err
	}
	k, err := a.cfg.Keys.Issue.Handle(r.Context(), accounts.IssueKey{
		Account: body.Account, Name: body.Name, Role: key.Role(body.Role), Legacy: key.Legacy(body.Legacy), ExpiresAt: expires,
	})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, k.Position)
	answer := issuedKey{Success: true, Account: body.Account, ID: k.ID, Key: k.Value, Role: k.Role,
		ExpiresAt: web.StampOrNull(k.ExpiresAt)}
	if body.Legacy != "" {
		answer.Legacy = &body.Legacy
	}
	return web.Write(w, http.StatusOK, answer)
}

type revokedKey struct {
	Success   bool             `json:"success"`
	Account   domain.AccountID `json:"account"`
	ID        string           `json:"id"`
	RevokedAt string           `json:"revoked_at"`
}

// revokeKey serves DELETE /admin/keys?id=.
func (a *API) revokeKey(w http.ResponseWriter, r *http.Request) error {
	id, err := keys.ParseID(web.One(r.URL.Query(), "id"))
	if err != nil {
		return err
	}
	if err := a.act(r, "revoke key", id, ""); err != nil {
		return err
	}
	revocation, err := a.cfg.Keys.Revoke.Handle(r.Context(), accounts.RevokeKey{ID: id})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, revocation.Position)
	return web.Write(w, http.StatusOK, revokedKey{Success: true, Account: revocation.Account, ID: id,
		RevokedAt: web.Stamp(revocation.At)})
}
