package keys

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Key is one API key in the list of GET /keys.
type Key struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Role      key.Role    `json:"role"`
	Legacy    *key.Legacy `json:"legacy"` // null for keys that were issued with a role
	CreatedAt string      `json:"created_at"`
	ExpiresAt *string     `json:"expires_at"`
	Expired   bool        `json:"expired"`
}

// Page is one page of the list of GET /keys.
type Page struct {
	Success   bool    `json:"success"`
	Count     int     `json:"count"`
	Limit     int     `json:"limit"`
	HasNext   bool    `json:"has_next"`
	NextToken *string `json:"next_token"`
	Keys      []Key   `json:"keys"`
	Timestamp string  `json:"timestamp"`
}

// list serves GET /keys.
func (a *API) list(w http.ResponseWriter, r *http.Request, c access.Call) error {
	return a.List(w, r, c.Account, c.Query)
}

// List answers with a page of an account's keys, by the parameters limit and next_token.
func (a *API) List(w http.ResponseWriter, r *http.Request, account domain.AccountID, query url.Values) error {
	list, err := a.parse(account, query)
	if err != nil {
		return err
	}
	page, err := a.cfg.Keys.List(r.Context(), list)
	if err != nil {
		return err
	}
	now := a.cfg.Now()
	answer := Page{
		Success: true, Count: len(page.Keys), Limit: list.Limit, HasNext: page.More, Keys: make([]Key, len(page.Keys)),
		Timestamp: web.Stamp(now),
	}
	for i, k := range page.Keys {
		answer.Keys[i] = show(k, now)
	}
	if page.More {
		last := page.Keys[len(page.Keys)-1].Cursor()
		list.KeyCursor = &last
		if answer.NextToken, err = a.lists.Next(list); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// parse reads the parameters. A cursor contains the limit; a limit that is sent with it must be equal. Decision 14.
func (a *API) parse(account domain.AccountID, query url.Values) (projections.KeyList, error) {
	list := projections.KeyList{Account: account}
	var err error
	if list.Limit, err = web.ParseLimit(query); err != nil {
		return list, err
	}
	token, ok := web.One(query, "next_token")
	if !ok {
		return list, web.ErrCursor
	}
	if token != "" {
		return a.lists.Resume(token, list)
	}
	list.Limit = cmp.Or(list.Limit, web.MaxPage)
	return list, nil
}

func show(k projections.Key, now time.Time) Key {
	shown := Key{
		ID: k.ID, Name: k.Name, Role: k.Role, CreatedAt: web.Stamp(k.IssuedAt), ExpiresAt: web.StampOrNull(k.ExpiresAt),
		Expired: k.ExpiresAt != nil && !now.Before(*k.ExpiresAt),
	}
	if k.Legacy != "" {
		shown.Legacy = &k.Legacy
	}
	return shown
}
