// Package resources wires the operations that the keys of accounts open, a file for each resource.
package resources

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/handlers/http/web"
	"moviola/internal/app/parts"
	"moviola/internal/fair"
)

// Resources are the operations that the keys of accounts open.
type Resources struct {
	*parts.Parts
	Operator  *web.OperatorToken
	previewer *previewer // nil until movies are wired
}

// New returns resources that are not wired yet.
func New(all *parts.Parts, operator *web.OperatorToken) *Resources {
	return &Resources{Parts: all, Operator: operator}
}

// Close closes what previews have opened. Nothing may be running any more.
func (s *Resources) Close(ctx context.Context) error {
	if s.previewer == nil {
		return nil
	}
	return s.previewer.close(ctx)
}

// What accounts take turns for in this process beside the work list, and how much of it one account may have. What requests wait
// for is answered 503 after a while; a queue of one account is bounded.
const (
	growthBudget = 256 << 20 // memory for movies that grow while they are read: with variables, iterations or templates
	growthWait   = 5 * time.Second
	uploadBudget = 8 << 30 // bytes of uploads that are under way
	uploadShare  = uploadBudget / 4
	uploadWait   = 10 * time.Second
	requestQueue = 64 // requests of one account that wait
)

// Room is web.ErrNoRoom while the disk has less room than its reserve.
func (s *Resources) Room() error {
	if s.Disk.Low() {
		return web.ErrNoRoom
	}
	return nil
}

// PublicSubmitter accepts the movies, and batches of them, that are posted. They have one budget.
func (s *Resources) PublicSubmitter() commands.SubmitMovieHandler {
	return commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: s.Stores.Log, Ledgers: s.Ledgers, Files: commands.SealDocuments(s.Stores.Files, s.Vault), Plans: s.Plans,
		NewProject: commands.NewProjectID, Now: time.Now, Growth: newGrowth(), Room: s.Stores.Rendered.Admit,
	})
}

func newGrowth() *fair.Budget {
	return fair.New(fair.Limits{Total: growthBudget, Account: growthBudget / 2, Waiting: requestQueue, Wait: growthWait})
}

func newUploads() *fair.Budget {
	return fair.New(fair.Limits{Total: uploadBudget, Account: uploadShare, Waiting: requestQueue, Wait: uploadWait})
}
