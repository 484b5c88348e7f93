package admin

import (
	"context"
	"net/http"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// OperatorCalls are the commands and queries on operators who have tokens of their own, and on the sessions of all
// operators. accounts.Operators implements them.
type OperatorCalls interface {
	List(ctx context.Context) ([]operator.Added, error)
	Add(ctx context.Context, cmd accounts.AddOperator) (accounts.AddedOperator, error)
	Renew(ctx context.Context, name string) (accounts.AddedOperator, error)
	Revoke(ctx context.Context, name string) error
	Sessions(ctx context.Context) ([]operator.SignedIn, error)
	EndSession(ctx context.Context, id string) error
}

// Operator is an operator in an answer.
type Operator struct {
	Name    string        `json:"name"`
	Role    operator.Role `json:"role"`
	AddedAt string        `json:"added_at"`
}

// Operators is the answer of GET /admin/operators.
type Operators struct {
	Success   bool       `json:"success"`
	Count     int        `json:"count"`
	Operators []Operator `json:"operators"`
}

// listOperators serves GET /admin/operators.
func (a *API) listOperators(w http.ResponseWriter, r *http.Request) error {
	found, err := a.cfg.Operators.List(r.Context())
	if err != nil {
		return err
	}
	answer := Operators{Success: true, Count: len(found), Operators: make([]Operator, len(found))}
	for i, one := range found {
		answer.Operators[i] = Operator{Name: one.Name, Role: one.Role, AddedAt: web.Stamp(one.At)}
	}
	return web.Write(w, http.StatusOK, answer)
}

type addRequest struct {
	Name string        `json:"name"`
	Role operator.Role `json:"role"`
}

// AddedOperator is the answer of POST /admin/operators and POST /admin/operators/renew, the only answers that contain a token.
type AddedOperator struct {
	Success bool          `json:"success"`
	Name    string        `json:"name"`
	Role    operator.Role `json:"role"`
	Token   string        `json:"token"`
	AddedAt string        `json:"added_at"`
}

// addOperator serves POST /admin/operators.
func (a *API) addOperator(w http.ResponseWriter, r *http.Request) error {
	var body addRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	// Invalid names are not recorded, because the client may have sent a token as the name.
	if err := operator.Check(body.Name, body.Role); err != nil {
		return err
	}
	if err := a.act(r, "add operator", body.Name, string(body.Role)); err != nil {
		return err
	}
	added, err := a.cfg.Operators.Add(r.Context(), accounts.AddOperator{Name: body.Name, Role: body.Role})
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, showAdded(added))
}

func showAdded(added accounts.AddedOperator) AddedOperator {
	return AddedOperator{Success: true, Name: added.Name, Role: added.Role, Token: added.Token, AddedAt: web.Stamp(added.At)}
}

type renewRequest struct {
	Name string `json:"name"`
}

// renewOperator serves POST /admin/operators/renew.
func (a *API) renewOperator(w http.ResponseWriter, r *http.Request) error {
	var body renewRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	// an invalid name is not recorded, because the client may have sent a token as the name
	if err := operator.CheckName(body.Name); err != nil {
		return err
	}
	if err := a.act(r, "renew operator", body.Name, ""); err != nil {
		return err
	}
	renewed, err := a.cfg.Operators.Renew(r.Context(), body.Name)
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, showAdded(renewed))
}

type revokedOperator struct {
	Success bool   `json:"success"`
	Name    string `json:"name"`
}

// revokeOperator serves DELETE /admin/operators?name=.
func (a *API) revokeOperator(w http.ResponseWriter, r *http.Request) error {
	name, ok := web.One(r.URL.Query(), "name")
	if !ok || name == "" {
		return domain.Errorf(domain.Invalid, "name_missing", "name is required")
	}
	if err := operator.CheckName(name); err != nil {
		return err
	}
	if err := a.act(r, "revoke operator", name, ""); err != nil {
		return err
	}
	if err := a.cfg.Operators.Revoke(r.Context(), name); err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, revokedOperator{Success: true, Name: name})
}
