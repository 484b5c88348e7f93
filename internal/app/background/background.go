package background

import (
	"context"

	"moviola/handlers/background/chores"
	"moviola/handlers/background/curator"
	"moviola/handlers/background/processors"
	"moviola/internal/app/parts"
	"moviola/internal/config"
)

// Background is what works without a request.
type Background struct {
	*parts.Parts
	Work    *processors.Processors // nil when no role takes work
	Chores  *chores.Chores
	Curator *curator.Curator // nil without the role keeper
}

// New wires what works without a request, and the renderer of the process.
func New(ctx context.Context, all *parts.Parts) (*Background, error) {
	s := &Background{Parts: all}
	return s, s.openWork(ctx)
}

// openWork wires what works without a request.
func (s *Background) openWork(ctx context.Context) (err error) {
	if s.Config.Works() {
		if s.Work, err = s.newProcessors(ctx); err != nil {
			return err
		}
	}
	if s.Chores, err = s.newChores(); err != nil {
		return err
	}
	if s.Config.Plays(config.RoleKeeper) {
		s.Curator, err = s.newCurator()
	}
	return err
}
