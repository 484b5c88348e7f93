package admin

import (
	"context"
	"net/http"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// OperatorCalls are the operators with tokens of their own. accounts.Operators has them.
type OperatorCalls interface {
	List(ctx context.Context) ([]operator.Added, error)
	Add(ctx context.Context, cmd accounts.AddOperator) (accounts.AddedOperator, error)
	Revoke(ctx context.Context, name string) error
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

// AddedOperator is the answer of POST /admin/operators, the only one that shows the token.
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
	// What is malformed is not recorded: it may be a token that was given instead of a name.
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
	return web.Write(w, http.StatusOK, AddedOperator{
		Success: true, Name: added.Name, Role: added.Role, Token: added.Token, AddedAt: web.Stamp(added.At),
	})
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
