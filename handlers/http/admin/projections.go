package admin

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"moviola/domain"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Readers tells up to which position the read models include the log, and where they are stored. projections.Reader
// implements it.
type Readers interface {
	Status() projections.Status
	Lag(ctx context.Context) (projections.Lag, error)
	Generation(ctx context.Context) (*projections.Pointer, error)
}

// Rebuilds rebuilds read models in this process, one rebuild at a time.
type Rebuilds interface {
	// Start begins to rebuild the read models with the given names, or all read models when names is empty. It returns false
	// while a rebuild is running.
	Start(names []string) bool
	Last() Rebuild
}

// Rebuild describes the last rebuild of a process. The zero Rebuild means that no rebuild was started since the start of
// the process.
type Rebuild struct {
	Running   bool
	Models    []string // names of the read models that are rebuilt; empty: all read models
	StartedAt time.Time
	EndedAt   time.Time // when the rebuild ended; zero: it is still running
	Percent   float64
	Message   string // why the rebuild failed; empty: it has not failed
}

// ProjectionCalls are the dependencies of the operations on read models. Every field is required.
type ProjectionCalls struct {
	Reader  Readers
	Rebuild Rebuilds
}

// ModelShown is what an answer says about a read model.
type ModelShown struct {
	Name       string `json:"name"`
	Collection string `json:"collection"`
	Shape      int    `json:"shape"`
	Building   bool   `json:"building"`
}

// RebuildShown is what an answer says about the newest rebuild of read models, which may still be running.
type RebuildShown struct {
	Running   bool     `json:"running"`
	Models    []string `json:"models"`
	StartedAt string   `json:"started_at"`
	EndedAt   *string  `json:"ended_at"`
	Percent   float64  `json:"percent"`
	Message   string   `json:"message"`
}

// ProjectionsShown is the answer of GET /admin/projections.
type ProjectionsShown struct {
	Success    bool          `json:"success"`
	CaughtUp   bool          `json:"caught_up"`
	Message    string        `json:"message"`
	Position   uint64        `json:"position"`
	Head       uint64        `json:"head"`
	LagEvents  int           `json:"lag_events"`
	LagSeconds float64       `json:"lag_seconds"`
	Generation int64         `json:"generation"`
	Models     []ModelShown  `json:"models"`
	Rebuild    *RebuildShown `json:"rebuild"`
}

// readProjections serves GET /admin/projections.
func (a *API) readProjections(w http.ResponseWriter, r *http.Request) error {
	lag, err := a.cfg.Projections.Reader.Lag(r.Context())
	if err != nil {
		return err
	}
	at, err := a.cfg.Projections.Reader.Generation(r.Context())
	if err != nil {
		return err
	}
	status := a.cfg.Projections.Reader.Status()
	answer := ProjectionsShown{
		Success: true, CaughtUp: status.CaughtUp && status.Err == nil, Position: status.Position.Commit, Head: lag.Head.Commit,
		LagEvents: lag.Events, LagSeconds: lag.Age.Seconds(), Models: []ModelShown{},
		Rebuild: showRebuild(a.cfg.Projections.Rebuild.Last()),
	}
	if status.Err != nil {
		answer.Message = status.Err.Error()
	}
	if at == nil {
		return web.Write(w, http.StatusOK, answer)
	}
	answer.Generation = at.Generation
	for _, name := range slices.Sorted(maps.Keys(at.Models)) {
		place := at.Models[name]
		building := at.Building != nil && at.Building.Models[name].Collection != place.Collection
		answer.Models = append(answer.Models,
			ModelShown{Name: name, Collection: place.Collection, Shape: place.Shape, Building: building})
	}
	return web.Write(w, http.StatusOK, answer)
}

func showRebuild(last Rebuild) *RebuildShown {
	if last.StartedAt.IsZero() {
		return nil
	}
	shown := &RebuildShown{
		Running: last.Running, Models: orNone(last.Models), StartedAt: web.Stamp(last.StartedAt), Percent: last.Percent,
		Message: last.Message,
	}
	if !last.EndedAt.IsZero() {
		shown.EndedAt = web.StampOrNull(&last.EndedAt)
	}
	return shown
}

type rebuildRequest struct {
	Models []string `json:"models"`
}

type rebuilding struct {
	Success bool `json:"success"`
}

var errRebuilding = domain.Errorf(domain.Conflict, "rebuild_running", "A rebuild is running: wait for its end")

// rebuild serves POST /admin/projections/rebuild.
func (a *API) rebuild(w http.ResponseWriter, r *http.Request) error {
	var body rebuildRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	at, err := a.cfg.Projections.Reader.Generation(r.Context())
	if err != nil {
		return err
	}
	// where each read model is stored, by its name; nil until the first read models are built
	var known map[string]projections.Place
	if at != nil {
		known = at.Models
	}
	for _, name := range body.Models {
		if _, is := known[name]; !is {
			return domain.Errorf(domain.Invalid, "models_invalid", "models must be names of read models: %s",
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	if err := a.act(r, "rebuild read models", cmp.Or(strings.Join(body.Models, ", "), "all"), ""); err != nil {
		return err
	}
	if !a.cfg.Projections.Rebuild.Start(body.Models) {
		return errRebuilding
	}
	return web.Write(w, http.StatusOK, rebuilding{Success: true})
}
