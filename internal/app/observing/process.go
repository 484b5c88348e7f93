package observing

import (
	"context"
	"maps"
	"slices"
	"time"

	"moviola/internal/config"
	"moviola/internal/quota"
	"moviola/projections"
)

// StorageBounds returns functions that report the size and the bounds of the files that this process stores, by place: files,
// renders, sources or the name of a cache.
func (s *Observing) StorageBounds() map[string]func() quota.Status {
	bounds := map[string]func() quota.Status{"files": s.Stores.Stored.Status, "renders": s.Stores.Rendered.Status}
	if s.Renderer != nil {
		bounds["sources"] = s.Renderer.Assets.Bound
		for _, place := range s.Renderer.Kept {
			bounds[place.Name] = place.Room.Status
		}
	}
	return bounds
}

// TellOthers keeps this process's row on the board of processes current, until ctx ends.
func (s *Observing) TellOthers(ctx context.Context) error {
	started := time.Now()
	log := s.Logger.WithField("part", "processes")
	return s.Models.Processes.Run(ctx, func() projections.Process { return s.describe(started) }, func(err error) {
		log.WithError(err).Debug("state of this process not written for operators; trying again")
	})
}

func (s *Observing) describe(started time.Time) projections.Process {
	p := projections.Process{Name: s.Worker, Version: config.Version, Roles: s.Config.Roles, StartedAt: started,
		ReadsEncrypted: true, ReadsCollapsed: true}
	if space, err := s.Disk.Space(); err == nil { // after an error the space stays 0, which means unknown
		p.DiskFree, p.DiskTotal = space.Free, space.Total
	}
	slots := s.Slots()
	for _, kind := range slices.Sorted(maps.Keys(slots)) {
		p.Slots = append(p.Slots, projections.ProcessSlots{Kind: kind, Slots: slots[kind]})
	}
	if s.Renderer != nil {
		for _, state := range s.Renderer.Sandbox.States() {
			p.Layers = append(p.Layers, projections.ProcessLayer{
				Program: state.Program, Layer: string(state.Layer), State: string(state.Condition), Detail: state.Detail,
			})
		}
	}
	bounds := s.StorageBounds()
	for _, place := range slices.Sorted(maps.Keys(bounds)) {
		is := bounds[place]()
		p.Places = append(p.Places, projections.ProcessPlace{
			Place: place, Bytes: is.Kept.Bytes, Files: is.Kept.Files, AccountBytes: is.Account.Bytes, TotalBytes: is.Total.Bytes,
			Refused: is.Refused.Account + is.Refused.Total,
		})
	}
	return p
}
