package admin

import (
	"fmt"
	"net/http"
	"strings"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

type openRequest struct {
	Name    string `json:"name"`
	Plan    string `json:"plan"`
	Credits *int64 `json:"credits"` // credits that the new account gets; missing: 600
}

type opened struct {
	Success bool             `json:"success"`
	Account domain.AccountID `json:"account"`
	Key     string           `json:"key"` // the API key itself; only this answer contains it
}

// openAccount serves POST /admin/accounts. Design §10.
func (a *API) openAccount(w http.ResponseWriter, r *http.Request) error {
	var body openRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if strings.TrimSpace(body.Name) == "" {
		return domain.Errorf(domain.Invalid, "name_missing", "name is required")
	}
	if body.Credits != nil && *body.Credits < 0 {
		return domain.Errorf(domain.Invalid, "credits_invalid", "credits must be 0 or a positive whole number")
	}
	if err := a.act(r, operator.OpenAccount, body.Name, body.Plan); err != nil {
		return err
	}
	account, err := a.cfg.Accounts.Handle(r.Context(), accounts.OpenAccount{Name: body.Name, Plan: body.Plan, Credits: body.Credits})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, account.Position)
	return web.Write(w, http.StatusOK, opened{Success: true, Account: account.Account, Key: account.Key})
}

type planRequest struct {
	Account domain.AccountID `json:"account"`
	Plan    string           `json:"plan"`
}

type planned struct {
	Success bool             `json:"success"`
	Account domain.AccountID `json:"account"`
	Plan    string           `json:"plan"`
}

// changePlan serves POST /admin/accounts/plan.
func (a *API) changePlan(w http.ResponseWriter, r *http.Request) error {
	var body planRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.Account == "":
		return errNoAccount
	case body.Plan == "":
		return domain.Errorf(domain.Invalid, "plan_missing", "plan is required")
	}
	if err := a.act(r, "change plan", string(body.Account), body.Plan); err != nil {
		return err
	}
	position, err := a.cfg.Plans.Handle(r.Context(), accounts.ChangePlan{Account: body.Account, Plan: body.Plan})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, position)
	return web.Write(w, http.StatusOK, planned{Success: true, Account: body.Account, Plan: body.Plan})
}

// closeAccount serves DELETE /admin/accounts?account=. Workers do the other steps of the closing later, among them the removal of
// the account's files.
func (a *API) closeAccount(w http.ResponseWriter, r *http.Request) error {
	account, ok := web.One(r.URL.Query(), "account")
	if !ok || account == "" {
		return errNoAccount
	}
	if err := a.act(r, "close account", account, ""); err != nil {
		return err
	}
	position, err := a.cfg.Close.Handle(r.Context(), accounts.CloseAccount{Account: domain.AccountID(account)})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, position)
	return web.Write(w, http.StatusOK, granted{Success: true, Account: domain.AccountID(account)})
}

type grantRequest struct {
	Account domain.AccountID `json:"account"`
	Amount  int64            `json:"amount"`
	// name of this grant, chosen by the client; grants with the same reference count once
	Reference string `json:"reference"`
	// "pack" (packKind) for a pack of credits that the account has bought; empty for other grants
	Kind string `json:"kind"`
}

type granted struct {
	Success bool             `json:"success"`
	Account domain.AccountID `json:"account"`
}

// packKind is the kind of a grant for a bought pack: a free account gets the maximum length of paid plans. Decision 36.
const packKind = "pack"

// grantCredits serves POST /admin/credits. The reference, such as an order number, makes the grant idempotent.
func (a *API) grantCredits(w http.ResponseWriter, r *http.Request) error {
	var body grantRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.Account == "":
		return errNoAccount
	case body.Reference == "":
		return domain.Errorf(domain.Invalid, "reference_missing", "reference is required: the same reference grants once")
	case body.Amount <= 0:
		return domain.Errorf(domain.Invalid, "amount_invalid", "amount must be a positive whole number of credits")
	case body.Kind != "" && body.Kind != packKind:
		return domain.Errorf(domain.Invalid, "kind_unknown", "kind must be pack or left out")
	}
	how := fmt.Sprintf("%d, reference %s %s", body.Amount, body.Reference, body.Kind)
	if err := a.act(r, "grant credits", string(body.Account), how); err != nil {
		return err
	}
	position, err := a.cfg.Credits.Handle(r.Context(), accounts.GrantCredits{
		Account: body.Account, Reference: body.Reference, Kind: body.Kind, Amount: body.Amount,
	})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, position)
	return web.Write(w, http.StatusOK, granted{Success: true, Account: body.Account})
}
