package admin

import (
	"context"
	"net/http"
	"time"

	"moviola/handlers/http/web"
	"moviola/projections"
)

// Demands returns the amount of work that waits or runs.
type Demands interface {
	Demand(ctx context.Context, kind string, now time.Time) (projections.Demand, error)
}

// CapacityCalls are the dependencies of GET /admin/capacity. Every field is required.
type CapacityCalls struct {
	Work Demands
	Now  func() time.Time
}

type capacity struct {
	Success       bool    `json:"success"`
	Waiting       int     `json:"waiting"`
	Running       int     `json:"running"`
	OldestSeconds float64 `json:"oldest_seconds"`
	SlotsWanted   int     `json:"slots_wanted"`
}

// readCapacity serves GET /admin/capacity: the number of render slots that are needed now.
func (a *API) readCapacity(w http.ResponseWriter, r *http.Request) error {
	now := a.cfg.Capacity.Now()
	demand, err := a.cfg.Capacity.Work.Demand(r.Context(), projections.WorkRender, now)
	if err != nil {
		return err
	}
	answer := capacity{Success: true, Waiting: demand.Waiting, Running: demand.Running, SlotsWanted: demand.Waiting + demand.Running}
	if demand.Waiting > 0 {
		answer.OldestSeconds = now.Sub(demand.Oldest).Seconds()
	}
	return web.Write(w, http.StatusOK, answer)
}
