// Package batches serves batches of movies: a movie of one template for each row of variables. Decision 63.
package batches

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Requester is the command behind POST /batches. Admit checks the account's state before the body is read. Price returns the
// price or the flaw of each row, without accepting the batch.
type Requester interface {
	Admit(ctx context.Context, account domain.AccountID, idempotencyKey string) error
	Handle(ctx context.Context, cmd commands.RequestBatch) (commands.AcceptedBatch, error)
	Price(ctx context.Context, account domain.AccountID, order batch.Order) (batch.Requested, error)
}

// Canceller is the command behind POST /batches/cancel.
type Canceller interface {
	Handle(ctx context.Context, cmd commands.CancelBatch) (eventstore.Position, error)
}

// BatchReader reads batches and their movies.
type BatchReader interface {
	Get(ctx context.Context, id batch.ID) (projections.MovieBatch, bool, error)
	List(ctx context.Context, list projections.BatchList) ([]projections.MovieBatch, bool, error)
	Movies(ctx context.Context, account domain.AccountID, id batch.ID) ([]projections.Movie, error)
}

// Config is what an API needs. Every field but Now is required.
type Config struct {
	Request   Requester
	Cancel    Canceller
	Batches   BatchReader
	Projected web.Projected
	PublicURL string        // prefix of the addresses of rendered files: scheme and host. Decision 8
	Tokens    result.Tokens // derives the tokens in the addresses of rendered files
	CursorKey []byte
	Now       func() time.Time // the clock; nil: time.Now
	Log       logrus.FieldLogger
}

// API serves batches. It is safe for concurrent use.
type API struct {
	cfg   Config
	lists web.Lists[projections.BatchList]
	rows  web.Lists[resultList]
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{
		cfg: cfg, lists: web.NewLists[projections.BatchList](cfg.CursorKey, "batches"),
		rows: web.NewLists[resultList](cfg.CursorKey, "batch results"),
	}, nil
}

// Operations returns the operations on batches. Decision "Roles" says which role each needs.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: startBatch, Serve: a.post},
		{Operation: validateBatch, Serve: a.validate},
		{Operation: listBatches, Serve: a.list},
		{Operation: cancelBatch, Serve: a.cancel},
		{Operation: readBatch, Serve: a.get},
		{Operation: readBatchResults, Serve: a.csv},
	}
}

var errID = domain.Errorf(domain.Invalid, "batch_id_malformed", "Invalid batch id: it has 16 characters")

// owned returns the caller's batch named in the path. A batch of another account is not found. Decision 6.
func (a *API) owned(r *http.Request, c access.Call) (projections.MovieBatch, error) {
	id, ok := batch.ParseID(mux.Vars(r)["batch_id"])
	if !ok {
		return projections.MovieBatch{}, errID
	}
	b, found, err := a.cfg.Batches.Get(r.Context(), id)
	if err != nil {
		return b, err
	}
	if !found || b.Account != string(c.Account) {
		return b, batch.NotFound(id)
	}
	return b, nil
}

// head is the part of a batch that both GET /batches and GET /batches/{id} return.
type head struct {
	ID          string  `json:"id"`
	Template    string  `json:"template"`
	State       string  `json:"state"`
	CreatedAt   string  `json:"created_at"`
	CancelledAt *string `json:"cancelled_at"`
	Rows        int     `json:"rows"`
	Movies      int     `json:"movies"`
	Invalid     int     `json:"invalid"`
	Credits     int64   `json:"credits"`
}

func headOf(b projections.MovieBatch) head {
	return head{
		ID: b.ID, Template: b.Template, State: b.State, CreatedAt: web.Stamp(b.CreatedAt), CancelledAt: web.StampOrNull(b.CancelledAt),
		Rows: len(b.Rows) + len(b.Flaws), Movies: len(b.Rows), Invalid: len(b.Flaws), Credits: b.Credits,
	}
}

// listed is the answer of GET /batches.
type listed struct {
	Success   bool    `json:"success"`
	Count     int     `json:"count"`
	Limit     int     `json:"limit"`
	HasNext   bool    `json:"has_next"`
	NextToken *string `json:"next_token"`
	Batches   []head  `json:"batches"`
	Timestamp string  `json:"timestamp"`
}

// listSize is the default size of a page of batches.
const listSize = 20

// list serves GET /batches, newest first.
func (a *API) list(w http.ResponseWriter, r *http.Request, c access.Call) error {
	asked := projections.BatchList{Account: c.Account}
	var err error
	if asked.Limit, err = web.ParseLimit(c.Query); err != nil {
		return err
	}
	if asked, err = resumed(a.lists, c, asked); err != nil {
		return err
	}
	if asked.Limit == 0 {
		asked.Limit = listSize
	}
	found, more, err := a.cfg.Batches.List(r.Context(), asked)
	if err != nil {
		return err
	}
	answer := listed{Success: true, Count: len(found), Limit: asked.Limit, HasNext: more, Batches: make([]head, len(found)),
		Timestamp: web.Stamp(a.cfg.Now())}
	for i, b := range found {
		answer.Batches[i] = headOf(b)
	}
	if more {
		last := found[len(found)-1].Cursor()
		asked.BatchCursor = &last
		if answer.NextToken, err = a.lists.Next(asked); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// resumed returns the query that the cursor in the request parameter next_token contains. When next_token is empty, it returns
// the query given by asked.
func resumed[Q any](lists web.Lists[Q], c access.Call, asked Q) (Q, error) {
	token, ok := c.One("next_token")
	switch {
	case !ok:
		return asked, web.ErrCursor
	case token == "":
		return asked, nil
	}
	return lists.Resume(token, asked)
}

// cancelled is the answer of POST /batches/cancel.
type cancelled struct {
	Success   bool     `json:"success"`
	Batch     batch.ID `json:"batch"`
	State     string   `json:"state"`
	Timestamp string   `json:"timestamp"`
}

// cancel serves POST /batches/cancel.
func (a *API) cancel(w http.ResponseWriter, r *http.Request, c access.Call) error {
	text, one := c.One("id")
	id, ok := batch.ParseID(text)
	if !one || !ok {
		return errID
	}
	at, err := a.cfg.Cancel.Handle(r.Context(), commands.CancelBatch{Account: c.Account, Batch: id})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, at)
	return web.Write(w, http.StatusOK, cancelled{Success: true, Batch: id, State: projections.BatchCancelled,
		Timestamp: web.Stamp(a.cfg.Now())})
}
