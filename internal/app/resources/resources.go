// Package resources wires the operations that need an API key, a file for each resource.
package resources

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/handlers/http/web"
	"moviola/internal/app/parts"
	"moviola/internal/fair"
)

// Resources wires the operations that need an API key.
type Resources struct {
	*parts.Parts
	Operator  *web.OperatorToken
	previewer *previewer // opens the renderer of previews; nil before NewMovies is called
}

// New returns resources without any wiring.
func New(all *parts.Parts, operator *web.OperatorToken) *Resources {
	return &Resources{Parts: all, Operator: operator}
}

// Close closes what previews have opened. Call it when no request is running any more.
func (s *Resources) Close(ctx context.Context) error {
	if s.previewer == nil {
		return nil
	}
	return s.previewer.close(ctx)
}

// Budgets of requests in this process, which accounts share in turns. A request that waits too long is answered 503; the queue of
// one account is bounded.
const (
	growthBudget = 256 << 20 // memory in bytes for movies that grow when they are expanded: by variables, iterations or templates
	growthWait   = 5 * time.Second
	uploadBudget = 8 << 30 // maximum total size of running uploads, in bytes
	uploadShare  = uploadBudget / 4
	uploadWait   = 10 * time.Second
	requestQueue = 64 // maximum number of waiting requests of one account
)

// Room returns web.ErrNoRoom while free disk space is below the reserve.
func (s *Resources) Room() error {
	if s.Disk.Low() {
		return web.ErrNoRoom
	}
	return nil
}

// PublicSubmitter returns the use case that accepts posted movies. Batches share the memory budget of this use case.
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
