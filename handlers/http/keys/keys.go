// Package keys serves the API keys of an account: its admins list, issue and revoke them. Of the answers of this package,
// only that of POST /keys contains a key, the new one. The others name keys by their ids. Decision 49.
package keys

import (
	"context"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 64 << 10

// Lister lists the keys of an account that were not revoked.
type Lister interface {
	List(ctx context.Context, list projections.KeyList) (projections.KeyPage, error)
}

// Issuer is the command behind POST /keys.
type Issuer interface {
	Handle(ctx context.Context, cmd accounts.IssueKey) (accounts.IssuedKey, error)
}

// Revoker is the command behind DELETE /keys. When it returns, this process no longer accepts the key.
type Revoker interface {
	Handle(ctx context.Context, cmd accounts.RevokeKey) (accounts.Revocation, error)
}

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Keys      Lister
	Issue     Issuer
	Revoke    Revoker
	Projected web.Projected
	CursorKey []byte           // signs the cursors of lists: at least 16 bytes, the same in every process of an installation
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves the API keys of accounts. It is safe for concurrent use.
type API struct {
	cfg   Config
	lists web.Lists[projections.KeyList]
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg, lists: web.NewLists[projections.KeyList](cfg.CursorKey, "keys-cursor")}, nil
}

// Operations returns the operations on keys. Decisions "Roles" and 49.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: listKeys, Serve: a.list},
		{Operation: issueKey, Serve: a.issue},
		{Operation: revokeKey, Serve: a.revoke},
	}
}

type issueRequest struct {
	Name      string  `json:"name"`
	Role      string  `json:"role"`
	ExpiresAt *string `json:"expires_at"` // null or missing: the key does not expire
}

type issued struct {
	Success   bool     `json:"success"`
	ID        string   `json:"id"`
	Key       string   `json:"key"` // the key itself; only this answer contains it
	Role      key.Role `json:"role"`
	ExpiresAt *string  `json:"expires_at"`
}

// issue serves POST /keys.
func (a *API) issue(w http.ResponseWriter, r *http.Request, c access.Call) error {
	var body issueRequest
	if err := web.ReadObject(w, r, maxBody, &body); err != nil {
		return err
	}
	expires, err := Expiry(body.ExpiresAt)
	if err != nil {
		return err
	}
	k, err := a.cfg.Issue.Handle(r.Context(),
		accounts.IssueKey{Account: c.Account, Name: body.Name, Role: key.Role(body.Role), ExpiresAt: expires})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, k.Position)
	return web.Write(w, http.StatusOK, issued{Success: true, ID: k.ID, Key: k.Value, Role: k.Role,
		ExpiresAt: web.StampOrNull(k.ExpiresAt)})
}

// Expiry reads the property expires_at: a date, which means the end of that day, or a date-time. It returns nil when the property
// is nil or empty: the key never expires.
func Expiry(text *string) (*time.Time, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	at, ok := web.ParseTime(*text, true)
	if !ok {
		return nil, domain.Errorf(domain.Invalid, "expires_at_invalid",
			"expires_at must be a date-time such as 2030-01-31T12:00:00Z, or left out")
	}
	return &at, nil
}

type revoked struct {
	Success   bool   `json:"success"`
	ID        string `json:"id"`
	RevokedAt string `json:"revoked_at"`
	Timestamp string `json:"timestamp"`
}

// revoke serves DELETE /keys. The answer has the time of the first revocation, also when the key was revoked before.
func (a *API) revoke(w http.ResponseWriter, r *http.Request, c access.Call) error {
	id, err := ParseID(c.One("id"))
	if err != nil {
		return err
	}
	revocation, err := a.cfg.Revoke.Handle(r.Context(), accounts.RevokeKey{ID: id, Account: c.Account})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, revocation.Position)
	return web.Write(w, http.StatusOK, revoked{
		Success: true, ID: id, RevokedAt: web.Stamp(revocation.At), Timestamp: web.Stamp(a.cfg.Now()),
	})
}

// ParseID checks the value of a parameter that must be the id of a key; ok is false when the parameter was given twice.
func ParseID(id string, ok bool) (string, error) {
	if !ok || !key.IsID(id) {
		return "", domain.Errorf(domain.Invalid, "key_id_invalid", "A 32-character key ID must be provided in the 'id' query parameter")
	}
	return id, nil
}
