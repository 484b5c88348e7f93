package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"moviola/commands"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Trouble is the trouble board, the table of work items that have failed.
type Trouble interface {
	// Stuck returns the work items that have failed at least projections.StuckAfter times for reasons of their own.
	Stuck(ctx context.Context) ([]projections.Trouble, error)
	// Clear resets the failures of a work item.
	Clear(ctx context.Context, work string) error
}

// DropFunc ends the subject of a work item as failed. commands.ErrNothingToDo: it has already ended.
type DropFunc func(ctx context.Context, subject string) (eventstore.Position, error)

// WorkCalls are the dependencies of the operations on stuck work. Every field is required.
type WorkCalls struct {
	Trouble Trouble
	// Drop has a function for each kind of work that can be dropped. Other kinds, such as settling, must be done.
	Drop map[string]DropFunc
}

// stuckWork is a stuck work item, as GET /admin/work returns it.
type stuckWork struct {
	Work      string `json:"work"`
	Kind      string `json:"kind"`
	Account   string `json:"account"`
	Subject   string `json:"subject"`
	Message   string `json:"message"` // message of the item's last failure
	Failures  int    `json:"failures"`
	First     string `json:"first"`
	Last      string `json:"last"`
	Droppable bool   `json:"droppable"`
}

type workList struct {
	Success bool        `json:"success"`
	Count   int         `json:"count"`
	Work    []stuckWork `json:"work"`
}

// listWork serves GET /admin/work.
func (a *API) listWork(w http.ResponseWriter, r *http.Request) error {
	stuck, err := a.cfg.Work.Trouble.Stuck(r.Context())
	if err != nil {
		return err
	}
	answer := workList{Success: true, Count: len(stuck), Work: make([]stuckWork, len(stuck))}
	for i, t := range stuck {
		answer.Work[i] = stuckWork{
			Work: t.Work, Kind: t.Kind, Account: t.Account, Subject: t.Subject, Message: t.Message, Failures: t.Failures,
			First: web.Stamp(t.First), Last: web.Stamp(t.Last), Droppable: a.cfg.Work.Drop[t.Kind] != nil,
		}
	}
	return web.Write(w, http.StatusOK, answer)
}

// The refusals of calls about stuck work.
var (
	errNoWork       = domain.Errorf(domain.Invalid, "work_missing", "work is required")
	errWorkOrAll    = domain.Errorf(domain.Invalid, "work_invalid", "Give either work, or all with the count that was listed")
	errWorkUnknown  = domain.Errorf(domain.NotFound, "work_not_found", "No such work is stuck")
	errNotDroppable = domain.Errorf(domain.Conflict, "work_not_droppable", "Work of this kind has to be done and cannot be dropped")
	errWorkDone     = domain.Errorf(domain.Conflict, "work_done", "This work has been done since")
)

type retryRequest struct {
	Work string `json:"work"`
	All  bool   `json:"all"`
	// number of stuck items in the list that the client has; given when All is true, and only then
	Count *int `json:"count"`
}

type retried struct {
	Success bool `json:"success"`
	Count   int  `json:"count"`
}

// retryWork serves POST /admin/work/retry: it resets the failures of one stuck work item or of all. The items are then
// retried soon. To retry all items, the client must give their number.
func (a *API) retryWork(w http.ResponseWriter, r *http.Request) error {
	var body retryRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.All == (body.Work != "") || body.All == (body.Count == nil) {
		return errWorkOrAll
	}
	stuck, err := a.cfg.Work.Trouble.Stuck(r.Context())
	if err != nil {
		return err
	}
	on, chosen := body.Work, stuck
	if body.All {
		on = "all stuck work"
		if len(stuck) != *body.Count {
			return domain.Errorf(domain.Conflict, "work_count_changed", "%d pieces of work are stuck now: list them again", len(stuck))
		}
	} else {
		i := slices.IndexFunc(stuck, func(t projections.Trouble) bool { return t.Work == body.Work })
		if i < 0 {
			return errWorkUnknown
		}
		chosen = stuck[i : i+1]
	}
	if err := a.act(r, "retry work", on, strconv.Itoa(len(chosen))); err != nil {
		return err
	}
	for _, t := range chosen {
		if err := a.cfg.Work.Trouble.Clear(r.Context(), t.Work); err != nil {
			return err
		}
	}
	return web.Write(w, http.StatusOK, retried{Success: true, Count: len(chosen)})
}

type dropRequest struct {
	Work string `json:"work"`
}

type dropped struct {
	Success bool   `json:"success"`
	Work    string `json:"work"`
}

// dropWork serves POST /admin/work/drop: it ends the subject of the work as failed.
func (a *API) dropWork(w http.ResponseWriter, r *http.Request) error {
	var body dropRequest
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.Work == "" {
		return errNoWork
	}
	stuck, err := a.cfg.Work.Trouble.Stuck(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(stuck, func(t projections.Trouble) bool { return t.Work == body.Work })
	if i < 0 {
		return errWorkUnknown
	}
	drop := a.cfg.Work.Drop[stuck[i].Kind]
	if drop == nil {
		return errNotDroppable
	}
	if err := a.act(r, "drop work", body.Work, stuck[i].Kind); err != nil {
		return err
	}
	position, err := drop(r.Context(), stuck[i].Subject)
	if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
		return err
	}
	if clearing := a.cfg.Work.Trouble.Clear(r.Context(), body.Work); clearing != nil {
		return clearing
	}
	if err != nil {
		return errWorkDone
	}
	web.Await(r.Context(), a.cfg.Projected, position)
	return web.Write(w, http.StatusOK, dropped{Success: true, Work: body.Work})
}
