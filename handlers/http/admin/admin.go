// Package admin serves the operators' interface under /admin: accounts, plans, credits, keys, stuck work, the capacity needed,
// and the audit trail of operators' acts. One token for the whole installation guards it, not an account's key. Every change is
// recorded in the trail before it is made.
package admin

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/eventstore"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 64 << 10

// AccountOpener is the command behind POST /admin/accounts.
type AccountOpener interface {
	Handle(ctx context.Context, cmd accounts.OpenAccount) (accounts.OpenedAccount, error)
}

// Granter is the command behind POST /admin/credits.
type Granter interface {
	Handle(ctx context.Context, cmd accounts.GrantCredits) (eventstore.Position, error)
}

// Planner is the command behind POST /admin/accounts/plan.
type Planner interface {
	Handle(ctx context.Context, cmd accounts.ChangePlan) (eventstore.Position, error)
}

// AccountCloser is the command behind DELETE /admin/accounts.
type AccountCloser interface {
	Handle(ctx context.Context, cmd accounts.CloseAccount) (eventstore.Position, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	// Operator guards every path; nil: nobody has access.
	Operator  *web.OperatorToken
	Accounts  AccountOpener
	Plans     Planner
	Close     AccountCloser
	Books     Books
	Credits   Granter
	Acts      ActCalls
	Work      WorkCalls
	Capacity  CapacityCalls
	Usage     UsagePages
	Keys      KeyCalls
	Projected web.Projected
	CursorKey []byte // signs the cursors of lists
	Log       logrus.FieldLogger
}

// API serves the operator's interface. It is safe for concurrent use.
type API struct {
	cfg      Config
	accounts web.Lists[projections.AccountQuery]
	acts     web.Lists[projections.ActQuery]
	usage    web.Lists[projections.UsageQuery]
}

// New returns an API.
func New(cfg Config) *API {
	return &API{
		cfg:      cfg,
		accounts: web.NewLists[projections.AccountQuery](cfg.CursorKey, "operator's accounts"),
		acts:     web.NewLists[projections.ActQuery](cfg.CursorKey, "operator's acts"),
		usage:    web.NewLists[projections.UsageQuery](cfg.CursorKey, "operator's usage"),
	}
}

// Routes registers every operation of the operator's interface on the root router.
func (a *API) Routes(router *mux.Router) {
	operation.Register(router, []operation.Route{
		{Operation: readAccounts, Serve: a.guarded(a.readAccounts)},
		{Operation: openAccount, Serve: a.guarded(a.openAccount)},
		{Operation: closeAccount, Serve: a.guarded(a.closeAccount)},
		{Operation: changePlan, Serve: a.guarded(a.changePlan)},
		{Operation: grantCredits, Serve: a.guarded(a.grantCredits)},
		{Operation: listActs, Serve: a.guarded(a.listActs)},
		{Operation: listStuckWork, Serve: a.guarded(a.listWork)},
		{Operation: readCapacity, Serve: a.guarded(a.readCapacity)},
		{Operation: listUsage, Serve: a.guarded(a.listUsage)},
		{Operation: retryWork, Serve: a.guarded(a.retryWork)},
		{Operation: dropWork, Serve: a.guarded(a.dropWork)},
		{Operation: listKeysOf, Serve: a.guarded(a.listKeys)},
		{Operation: issueKeyFor, Serve: a.guarded(a.issueKey)},
		{Operation: revokeKeyOf, Serve: a.guarded(a.revokeKey)},
	})
}

// guarded checks the token before anything else.
func (a *API) guarded(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := a.cfg.Operator.Check(r)
		if err == nil {
			_, err = web.ParseQuery(r)
		}
		if err == nil {
			err = a.traced(w, r, serve)
		}
		if err != nil {
			web.Fail(w, r, a.cfg.Log, err)
		}
	}
}

// decode reads a body, which must be one JSON object.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	return web.ReadObject(w, r, maxBody, into)
}
