package admin

import (
	"cmp"
	"context"
	"net/http"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// AccountPages reads pages of accounts.
type AccountPages interface {
	Get(ctx context.Context, account domain.AccountID) (projections.Account, bool, error)
	Page(ctx context.Context, q projections.AccountQuery) ([]projections.Account, bool, error)
}

// Totals reads an account's credits from the log.
type Totals interface {
	State(ctx context.Context, account domain.AccountID) (ledger.Totals, error)
}

// Standings reads the state of an account, which determines what the account may do now.
type Standings interface {
	Of(ctx context.Context, account domain.AccountID) (commands.Standing, error)
}

// Books are the sources for accounts and their credits. Every field is required.
type Books struct {
	Accounts  AccountPages
	Totals    Totals
	Standings Standings
}

// The states of an account.
const (
	stateOpen   = "open"
	stateClosed = "closed"
)

// accountShown is an account in a list.
type accountShown struct {
	Account   string  `json:"account"`
	Name      string  `json:"name"`
	Plan      string  `json:"plan"`
	State     string  `json:"state"` // state of the account: open or closed
	OpenedAt  string  `json:"opened_at"`
	ClosedAt  *string `json:"closed_at"`
	ClearedAt *string `json:"cleared_at"` // when the account's files were last removed
}

func showAccount(a projections.Account) accountShown {
	state := stateOpen
	if a.ClosedAt != nil {
		state = stateClosed
	}
	return accountShown{
		Account: a.Account, Name: a.Name, Plan: a.Plan, State: state,
		OpenedAt: web.Stamp(a.OpenedAt), ClosedAt: web.StampOrNull(a.ClosedAt), ClearedAt: web.StampOrNull(a.ClearedAt),
	}
}

// accountDetail is one account with its credits in an answer.
type accountDetail struct {
	accountShown
	Granted   int64 `json:"granted"`
	Charged   int64 `json:"charged"`
	Balance   int64 `json:"balance"`
	Held      int64 `json:"held"`
	Available int64 `json:"available"`
	// Suspended reports whether the account may not submit movies, StorageBlocked whether it may not store files. Decisions
	// 16 and 39.
	Suspended      bool `json:"suspended"`
	StorageBlocked bool `json:"storage_blocked"`
}

type oneAccount struct {
	Success bool          `json:"success"`
	Account accountDetail `json:"account"`
}

type accountPage struct {
	Success   bool           `json:"success"`
	Count     int            `json:"count"`
	HasNext   bool           `json:"has_next"`
	NextToken *string        `json:"next_token"`
	Accounts  []accountShown `json:"accounts"`
}

// readAccounts serves GET /admin/accounts: one account with ?account=, otherwise a page of all accounts.
func (a *API) readAccounts(w http.ResponseWriter, r *http.Request) error {
	account, ok := web.One(r.URL.Query(), "account")
	switch {
	case !ok:
		return errNoAccount
	case account != "":
		return a.readAccount(w, r, domain.AccountID(account))
	}
	return a.listAccounts(w, r)
}

// find returns an account, or the refusal when it does not exist.
func (a *API) find(ctx context.Context, id domain.AccountID) (projections.Account, error) {
	found, ok, err := a.cfg.Books.Accounts.Get(ctx, id)
	if err == nil && !ok {
		err = domain.Errorf(domain.NotFound, "account_not_found", "Account %s not found", id)
	}
	return found, err
}

// readAccount answers with one account. Its credits are read from the log, not from a read model.
func (a *API) readAccount(w http.ResponseWriter, r *http.Request, id domain.AccountID) error {
	found, err := a.find(r.Context(), id)
	if err != nil {
		return err
	}
	totals, err := a.cfg.Books.Totals.State(r.Context(), id)
	if err != nil {
		return err
	}
	standing, err := a.cfg.Books.Standings.Of(r.Context(), id)
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, oneAccount{Success: true, Account: accountDetail{
		accountShown: showAccount(found),
		Granted:      totals.Granted, Charged: totals.Charged, Balance: totals.Balance, Held: totals.Held, Available: totals.Available,
		Suspended:      !standing.Plan.Counted && totals.EverGranted && totals.Balance <= 0,
		StorageBlocked: standing.Blocked,
	}})
}

// listAccounts answers with a page of accounts, in the order in which they were opened.
func (a *API) listAccounts(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	limit, err := web.ParseLimit(query)
	if err != nil {
		return err
	}
	q := projections.AccountQuery{Limit: cmp.Or(limit, web.MaxPage)}
	token, ok := web.One(query, "next_token")
	if !ok {
		return web.ErrCursor
	}
	if token != "" {
		if q, err = a.accounts.Resume(token, q); err != nil {
			return err
		}
	}
	accounts, more, err := a.cfg.Books.Accounts.Page(r.Context(), q)
	if err != nil {
		return err
	}
	answer := accountPage{Success: true, Count: len(accounts), HasNext: more, Accounts: make([]accountShown, len(accounts))}
	for i, account := range accounts {
		answer.Accounts[i] = showAccount(account)
	}
	if more {
		last := accounts[len(accounts)-1].Cursor()
		q.After = &last
		if answer.NextToken, err = a.accounts.Next(q); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}
