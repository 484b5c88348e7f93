package admin

import (
	"cmp"
	"net/http"
	"slices"

	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// OperatorSession is an open session of the operators' console.
type OperatorSession struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Role    operator.Role `json:"role"`
	Issuer  *string       `json:"issuer"`
	Subject *string       `json:"subject"`
	BeganAt string        `json:"began_at"`
	Until   string        `json:"until"`
}

// OperatorSessions is the answer of GET /admin/operators/sessions.
type OperatorSessions struct {
	Success  bool              `json:"success"`
	Count    int               `json:"count"`
	Sessions []OperatorSession `json:"sessions"`
}

// listOperatorSessions serves GET /admin/operators/sessions.
func (a *API) listOperatorSessions(w http.ResponseWriter, r *http.Request) error {
	found, err := a.cfg.Operators.Sessions(r.Context())
	if err != nil {
		return err
	}
	answer := OperatorSessions{Success: true, Count: len(found), Sessions: make([]OperatorSession, len(found))}
	for i, one := range found {
		shown := OperatorSession{
			ID: one.Session, Name: one.Name, Role: one.Role, BeganAt: web.Stamp(one.Began), Until: web.Stamp(one.Until),
		}
		if one.Issuer != "" {
			shown.Issuer, shown.Subject = &one.Issuer, &one.Subject
		}
		answer.Sessions[i] = shown
	}
	return web.Write(w, http.StatusOK, answer)
}

type endedSession struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
}

// endOperatorSession serves DELETE /admin/operators/sessions?id=.
func (a *API) endOperatorSession(w http.ResponseWriter, r *http.Request) error {
	id, ok := web.One(r.URL.Query(), "id")
	if !ok || id == "" {
		return domain.Errorf(domain.Invalid, "id_missing", "id is required")
	}
	found, err := a.cfg.Operators.Sessions(r.Context())
	if err != nil {
		return err
	}
	whose := slices.IndexFunc(found, func(one operator.SignedIn) bool { return one.Session == id })
	if whose < 0 {
		return operator.ErrNoSession
	}
	if err := a.act(r, "end session", id, cmp.Or(found[whose].Name, "the configured token")); err != nil {
		return err
	}
	if err := a.cfg.Operators.EndSession(r.Context(), id); err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, endedSession{Success: true, ID: id})
}
