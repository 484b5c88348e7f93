// Package preloads serves batches of assets that are prepared before a render: clients request a batch, and poll until it is
// done. Spec: Preload batch; decisions 38 and 46.
package preloads

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/media"
	"moviola/domain/preload"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Requester is the command behind POST /preloads.
type Requester interface {
	Handle(ctx context.Context, cmd preloads.RequestPreload) (preloads.RequestedPreload, error)
}

// PreloadReader reads a batch. The state of a batch that is not done includes every event of its stream.
type PreloadReader interface {
	Get(ctx context.Context, id preload.ID) (projections.Preload, bool, error)
}

// Config is what an API needs. Every field but Now is required.
type Config struct {
	Request   Requester
	Batches   PreloadReader
	Addresses *media.Addresses
	Projected web.Projected
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves preloads. It is safe for concurrent use.
type API struct{ cfg Config }

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg}, nil
}

// Operations returns the operations on preloads. Spec: Endpoints; roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	return []access.Operation{{Operation: requestPreload, Serve: a.post}, {Operation: getPreload, Serve: a.get}}
}

// maxBody is the maximum size of a request's body, in bytes, the same as for a movie. Decision 10.
const maxBody = 2 << 20

var (
	errLarge = domain.Errorf(domain.TooLarge, "preload_too_large", "The payload must be at most 2 MB")
	errID    = domain.Errorf(domain.Invalid, "preload_id_malformed", "Invalid preload_id: it has 16 characters")
)

// post serves POST /preloads.
func (a *API) post(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := web.ReadBody(w, r, maxBody, errLarge)
	if err != nil {
		return err
	}
	if err := document.CheckSize("The payload", "payload_invalid", body); err != nil {
		return err
	}
	requested, err := a.cfg.Request.Handle(r.Context(), preloads.RequestPreload{Account: c.Account, Body: body})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, requested.Position)
	return web.Write(w, http.StatusOK, struct {
		Success   bool       `json:"success"`
		ID        preload.ID `json:"preload_id"`
		Timestamp string     `json:"timestamp"`
	}{true, requested.ID, web.Stamp(a.cfg.Now())})
}

// answer is a preload batch in the form of an answer.
type answer struct {
	Success   bool    `json:"success"`
	ID        string  `json:"preload_id"`
	Status    string  `json:"status"`
	CreatedAt string  `json:"created_at"`
	EndedAt   *string `json:"ended_at"`
	Items     []item  `json:"items"`
	Timestamp string  `json:"timestamp"`
}

// item is one item in an answer. Spec: Preload item result.
type item struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Status     string  `json:"status"`
	URL        string  `json:"url,omitempty"`
	WebURL     string  `json:"webURL,omitempty"`
	Persistent bool    `json:"persistent"`
	ExpiresAt  *string `json:"expires_at"`
	Warning    string  `json:"warning,omitempty"`
	Duration   float64 `json:"duration,omitempty"`
	Width      int     `json:"width,omitempty"`
	Height     int     `json:"height,omitempty"`
	Size       int64   `json:"size,omitempty"`
	Task       string  `json:"task"`
	Error      string  `json:"error,omitempty"`
}

// get serves GET /preloads/{preload_id}. A batch of another account is not found. Decision 6.
func (a *API) get(w http.ResponseWriter, r *http.Request, c access.Call) error {
	id, ok := preload.ParseID(mux.Vars(r)["preload_id"])
	if !ok {
		return errID
	}
	batch, found, err := a.cfg.Batches.Get(r.Context(), id)
	if err != nil {
		return err
	}
	if !found || batch.Account != string(c.Account) {
		return domain.Errorf(domain.NotFound, "preload_not_found", "Preload %s not found", id)
	}
	shown := answer{
		Success: true, ID: batch.ID, Status: batch.Status, CreatedAt: web.Stamp(batch.CreatedAt),
		EndedAt: web.StampOrNull(batch.EndedAt),
		Items:   make([]item, len(batch.Items)), Timestamp: web.Stamp(a.cfg.Now()),
	}
	for i, one := range batch.Items {
		shown.Items[i] = a.item(c.Account, projections.PreloadWorkID(id, i), one)
	}
	return web.Write(w, http.StatusOK, shown)
}

// item converts one item for an answer. task is the id of the work on the item, by which operators find it.
func (a *API) item(account domain.AccountID, task string, i projections.PreloadItem) item {
	shown := item{ID: i.ID, Type: i.Type, Status: i.Status, Task: task}
	r := i.Result
	if r == nil {
		return shown
	}
	shown.Error, shown.Warning = r.Error, string(r.Warning)
	shown.URL, shown.WebURL = preloads.PreparedAddresses(a.cfg.Addresses, account, *r)
	shown.Persistent = r.Name != ""
	shown.ExpiresAt = web.StampOrNull(r.ExpiresAt)
	shown.Duration, shown.Width, shown.Height, shown.Size = r.Duration, r.Width, r.Height, r.Size
	return shown
}
