// Package admin serves the operators' interface under /admin, except for the publication of templates: accounts, plans,
// credits, API keys, the work list and stuck work, the processes and the capacity needed, the configuration, the read
// models, usage, the operators themselves and their sessions, and the audit trail of their acts. Callers need an operator's
// token or session; API keys do not give access. Every change is recorded in the trail before it is made.
package admin

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/trail"
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

// Config is what an API needs. Every field but Operator is required.
type Config struct {
	// Operator checks the operators' tokens for every path; nil: nobody has access.
	Operator  *web.OperatorToken
	Operators OperatorCalls
	Accounts  AccountOpener
	Plans     Planner
	Offered   plan.Plans // plans that accounts can be on
	Close     AccountCloser
	Books     Books
	Credits   Granter
	Acts      ActCalls
	Work      WorkCalls
	Capacity  CapacityCalls
	Queue     Queue
	Workers   WorkerCalls
	// Projections are the dependencies of the operations on read models.
	Projections ProjectionCalls
	// Configuration returns the answer of GET /admin/configuration for this process.
	Configuration Configuration
	Usage         UsagePages
	Keys          KeyCalls
	Projected     web.Projected
	CursorKey     []byte // key that signs the cursors of lists
	Log           logrus.FieldLogger
}

// API serves the operator's interface. It is safe for concurrent use.
type API struct {
	cfg      Config
	trail    *trail.Trail
	accounts web.Lists[projections.AccountQuery]
	acts     web.Lists[projections.ActQuery]
	usage    web.Lists[projections.UsageQuery]
}

// New returns an API.
func New(cfg Config) *API {
	return &API{
		cfg:      cfg,
		trail:    &trail.Trail{Operator: cfg.Operator, Record: cfg.Acts.Record, Log: cfg.Log},
		accounts: web.NewLists[projections.AccountQuery](cfg.CursorKey, "operator's accounts"),
		acts:     web.NewLists[projections.ActQuery](cfg.CursorKey, "operator's acts"),
		usage:    web.NewLists[projections.UsageQuery](cfg.CursorKey, "operator's usage"),
	}
}

// Routes registers the operations of this package on the root router.
func (a *API) Routes(router *mux.Router) {
	operation.Register(router, []operation.Route{
		a.trail.Route(readAccounts, a.readAccounts),
		a.trail.Route(openAccount, a.openAccount),
		a.trail.Route(closeAccount, a.closeAccount),
		a.trail.Route(changePlan, a.changePlan),
		a.trail.Route(listPlans, a.listPlans),
		a.trail.Route(grantCredits, a.grantCredits),
		a.trail.Route(listActs, a.listActs),
		a.trail.Route(listStuckWork, a.listWork),
		a.trail.Route(readCapacity, a.readCapacity),
		a.trail.Route(readQueue, a.readQueue),
		a.trail.Route(listWorkers, a.listWorkers),
		a.trail.Route(readProjections, a.readProjections),
		a.trail.Route(rebuildProjections, a.rebuild),
		a.trail.Route(readConfiguration, a.readConfiguration),
		a.trail.Route(listUsage, a.listUsage),
		a.trail.Route(retryWork, a.retryWork),
		a.trail.Route(dropWork, a.dropWork),
		a.trail.Route(listKeysOf, a.listKeys),
		a.trail.Route(issueKeyFor, a.issueKey),
		a.trail.Route(revokeKeyOf, a.revokeKey),
		a.trail.Route(listOperators, a.listOperators),
		a.trail.Route(addOperator, a.addOperator),
		a.trail.Route(renewOperator, a.renewOperator),
		a.trail.Route(revokeOperator, a.revokeOperator),
		a.trail.Route(listOperatorSessions, a.listOperatorSessions),
		a.trail.Route(endOperatorSession, a.endOperatorSession),
	})
}

// decode reads a body, which must be one JSON object.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	return web.ReadObject(w, r, maxBody, into)
}
