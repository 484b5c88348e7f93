package admin

import (
	"context"
	"net/http"

	"moviola/handlers/http/web"
	"moviola/projections"
)

// WorkerCalls are the dependencies of GET /admin/workers. Every field is required.
type WorkerCalls struct {
	Processes interface {
		List(ctx context.Context) ([]projections.Process, error)
	}
	Presence interface {
		List(ctx context.Context) ([]projections.Presence, error)
	}
}

// Doing is a piece of work that a process does now.
type Doing struct {
	Work    string   `json:"work"`
	Kind    string   `json:"kind"`
	Account string   `json:"account"`
	Subject string   `json:"subject"`
	Attempt int      `json:"attempt"`
	Since   *string  `json:"since"`
	Percent *float64 `json:"percent"`
}

// Worker is a process of the installation.
type Worker struct {
	Name      string                     `json:"name"`
	Alive     bool                       `json:"alive"`
	Version   string                     `json:"version"`
	Roles     []string                   `json:"roles"`
	StartedAt *string                    `json:"started_at"`
	SeenAt    *string                    `json:"seen_at"`
	DiskFree  int64                      `json:"disk_free"`
	DiskTotal int64                      `json:"disk_total"`
	Slots     []projections.ProcessSlots `json:"slots"`
	Sandbox   []projections.ProcessLayer `json:"sandbox"`
	Storage   []projections.ProcessPlace `json:"storage"`
	Doing     []Doing                    `json:"doing"`
}

// Workers is the answer of GET /admin/workers.
type Workers struct {
	Success bool     `json:"success"`
	Count   int      `json:"count"`
	Workers []Worker `json:"workers"`
}

func showWorker(p projections.Process) *Worker {
	started, seen := web.Stamp(p.StartedAt), web.Stamp(p.At)
	return &Worker{
		Name: p.Name, Alive: true, Version: p.Version, Roles: orNone(p.Roles), StartedAt: &started, SeenAt: &seen, DiskFree: p.DiskFree,
		DiskTotal: p.DiskTotal, Slots: orNone(p.Slots), Sandbox: orNone(p.Layers), Storage: orNone(p.Places), Doing: []Doing{},
	}
}

// orNone returns a list that is encoded as [] when it is empty.
func orNone[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// listWorkers serves GET /admin/workers. It also lists a process that has a claim but shows no sign of life; the work of such
// a process is handed to others unless the process returns.
func (a *API) listWorkers(w http.ResponseWriter, r *http.Request) error {
	processes, err := a.cfg.Workers.Processes.List(r.Context())
	if err != nil {
		return err
	}
	rows, err := a.cfg.Workers.Presence.List(r.Context())
	if err != nil {
		return err
	}
	percent := make(map[string]float64, len(rows))
	for _, row := range rows {
		percent[row.Work] = row.Percent
	}
	var all []*Worker
	byName := map[string]*Worker{}
	add := func(one *Worker) *Worker {
		byName[one.Name] = one
		all = append(all, one)
		return one
	}
	for _, p := range processes {
		add(showWorker(p))
	}
	for _, kind := range projections.WorkKinds() {
		claimed, err := a.cfg.Queue.Claimed(r.Context(), kind.Name)
		if err != nil {
			return err
		}
		for _, item := range claimed {
			one := byName[item.Worker]
			if one == nil {
				one = add(&Worker{Name: item.Worker, Roles: []string{}, Slots: orNone[projections.ProcessSlots](nil),
					Sandbox: orNone[projections.ProcessLayer](nil), Storage: orNone[projections.ProcessPlace](nil)})
			}
			doing := Doing{Work: item.ID, Kind: item.Kind, Account: item.Account, Subject: item.Subject, Attempt: item.Attempt,
				Since: web.StampOrNull(item.Since)}
			if done, known := percent[item.ID]; known {
				doing.Percent = &done
			}
			one.Doing = append(one.Doing, doing)
		}
	}
	answer := Workers{Success: true, Count: len(all), Workers: make([]Worker, len(all))}
	for i, one := range all {
		answer.Workers[i] = *one
	}
	return web.Write(w, http.StatusOK, answer)
}
