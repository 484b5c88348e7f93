// Package admin serves the operators' interface under /admin: accounts, plans, credits, keys, stuck work, the capacity needed,
// the operators themselves, and the audit trail of their acts. Tokens of operators guard it, not keys of accounts. Every change
// is recorded in the trail before it is made.
package admin

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain/operator"
	"moviola/domain/plan"
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
	Operators OperatorCalls
	Accounts  AccountOpener
	Plans     Planner
	Offered   plan.Plans // that accounts can be on
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
		a.route(readAccounts, a.readAccounts),
		a.route(openAccount, a.openAccount),
		a.route(closeAccount, a.closeAccount),
		a.route(changePlan, a.changePlan),
		a.route(listPlans, a.listPlans),
		a.route(grantCredits, a.grantCredits),
		a.route(listActs, a.listActs),
		a.route(listStuckWork, a.listWork),
		a.route(readCapacity, a.readCapacity),
		a.route(listUsage, a.listUsage),
		a.route(retryWork, a.retryWork),
		a.route(dropWork, a.dropWork),
		a.route(listKeysOf, a.listKeys),
		a.route(issueKeyFor, a.issueKey),
		a.route(revokeKeyOf, a.revokeKey),
		a.route(listOperators, a.listOperators),
		a.route(addOperator, a.addOperator),
		a.route(renewOperator, a.renewOperator),
		a.route(revokeOperator, a.revokeOperator),
	})
}

// route is an operation with its handler, behind a check of the token and of its operator's role.
func (a *API) route(op operation.Operation, serve func(http.ResponseWriter, *http.Request) error) operation.Route {
	return operation.Route{Operation: op, Serve: a.guarded(op.LeastOperator(), serve)}
}

// guarded checks the token, and its operator's role, before anything else.
func (a *API) guarded(least operator.Role, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		acting, err := a.cfg.Operator.Admit(r, least)
		if err == nil {
			r = r.WithContext(context.WithValue(r.Context(), actingKey{}, acting))
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
