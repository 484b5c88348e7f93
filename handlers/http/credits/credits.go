// Package credits serves the credits of an account: the present totals, and the statement, line by line, as JSON or CSV. It
// only reads: what an account may spend is decided by the log.
package credits

import (
	"context"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Totals reads an account's credits from the log.
type Totals interface {
	State(ctx context.Context, account domain.AccountID) (ledger.Totals, error)
	// UsedIn returns the numbers of movies and drafts that were counted in the calendar month of t.
	UsedIn(ctx context.Context, account domain.AccountID, t time.Time) (movies, drafts int64, err error)
}

// Standings reads the state of an account, which determines what the account may do now.
type Standings interface {
	Of(ctx context.Context, account domain.AccountID) (commands.Standing, error)
}

// Statements reads the lines of a statement.
type Statements interface {
	Page(ctx context.Context, q projections.StatementQuery) ([]projections.Entry, bool, error)
}

// Gate lets operators read another account's credits.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Totals     Totals
	Standings  Standings
	Statements Statements
	Gate       Gate
	CursorKey  []byte           // key that signs the cursors: at least 16 bytes, the same in every process of an installation
	Now        func() time.Time // the clock; nil: time.Now
	Log        logrus.FieldLogger
}

// API serves credits. It is safe for concurrent use.
type API struct {
	cfg   Config
	lists web.Lists[projections.StatementQuery]
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg, lists: web.NewLists[projections.StatementQuery](cfg.CursorKey, "credits/ledger")}, nil
}

// Operations returns the operations on credits. Decision "Roles": statements are for admins.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: readCredits, Serve: a.forAccount(a.now)},
		{Operation: readLedger, Serve: a.forAccount(a.statement)},
	}
}

// forAccount lets an operator call the operation for another account.
func (a *API) forAccount(serve access.Endpoint) access.Endpoint {
	return func(w http.ResponseWriter, r *http.Request, c access.Call) error {
		c, err := a.cfg.Gate.ActFor(r, c)
		if err != nil {
			return err
		}
		return serve(w, r, c)
	}
}

// credits is the answer with an account's present credits.
type credits struct {
	Success bool             `json:"success"`
	Account domain.AccountID `json:"account"`
	Plan    string           `json:"plan"`
	// State is active, suspended (no submissions until credits are added) or closed.
	State     string `json:"state"`
	Granted   int64  `json:"granted"`
	Charged   int64  `json:"charged"`
	Balance   int64  `json:"balance"`
	Held      int64  `json:"held"`
	Available int64  `json:"available"`
	// StorageBlocked reports whether the account may not store files in the media library. Decision 39.
	StorageBlocked bool     `json:"storage_blocked"`
	Period         *counted `json:"period"` // what was used of the plan in this calendar month; null on plans with credits
	Timestamp      string   `json:"timestamp"`
}

// counted is what an account on a plan that counts movies has used in this calendar month (UTC), and the plan's limits.
type counted struct {
	Month      string `json:"month"`
	Movies     int64  `json:"movies"`
	MoviesUpTo int64  `json:"movies_quota"`
	Drafts     int64  `json:"drafts"`
	DraftsUpTo int64  `json:"drafts_quota"`
}

// now serves GET /credits. The totals are read from the log, not from a read model.
func (a *API) now(w http.ResponseWriter, r *http.Request, c access.Call) error {
	standing, err := a.cfg.Standings.Of(r.Context(), c.Account)
	if err != nil {
		return err
	}
	totals, err := a.cfg.Totals.State(r.Context(), c.Account)
	if err != nil {
		return err
	}
	now := a.cfg.Now()
	answer := credits{
		Success: true, Account: c.Account, Plan: standing.Plan.Name, State: stateOf(standing, totals),
		Granted: totals.Granted, Charged: totals.Charged, Balance: totals.Balance, Held: totals.Held, Available: totals.Available,
		StorageBlocked: standing.Blocked, Timestamp: web.Stamp(now),
	}
	if standing.Plan.Counted {
		movies, drafts, err := a.cfg.Totals.UsedIn(r.Context(), c.Account, now)
		if err != nil {
			return err
		}
		answer.Period = &counted{
			Month: ledger.Period(now), Movies: movies, MoviesUpTo: standing.Plan.Movies, Drafts: drafts, DraftsUpTo: standing.Plan.Drafts,
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// stateOf returns the state of an account. Decision 16: suspended means that all credits are spent.
func stateOf(s commands.Standing, t ledger.Totals) string {
	switch {
	case s.Closed:
		return "closed"
	case !s.Plan.Counted && t.EverGranted && t.Balance <= 0:
		return "suspended"
	}
	return "active"
}
