package background

import (
	"context"

	"moviola/handlers/background/anchors"
	"moviola/handlers/background/chores"
	"moviola/handlers/background/curator"
	"moviola/handlers/background/processors"
	"moviola/internal/app/parts"
	"moviola/internal/config"
)

// Background holds what runs without requests: the processors of work, chores, the curator of the template library, and anchors.
type Background struct {
	*parts.Parts
	Work    *processors.Processors // nil when this process has none of the roles renderer, deliverer and keeper
	Chores  *chores.Chores
	Curator *curator.Curator // nil when this process does not have the role keeper
	Anchors *anchors.Anchors // nil when this process does not have the role keeper, or --anchor-to is not given
}

// New wires the processors of work, the chores, the curator and the anchors, as far as the roles of this process need them.
func New(ctx context.Context, all *parts.Parts) (*Background, error) {
	s := &Background{Parts: all}
	return s, s.openWork(ctx)
}

// openWork wires the parts that the roles of this process need.
func (s *Background) openWork(ctx context.Context) (err error) {
	if s.Config.Works() {
		if s.Work, err = s.newProcessors(ctx); err != nil {
			return err
		}
	}
	if s.Chores, err = s.newChores(); err != nil {
		return err
	}
	if s.Anchors, err = s.newAnchors(ctx); err != nil {
		return err
	}
	if s.Config.Plays(config.RoleKeeper) {
		s.Curator, err = s.newCurator()
	}
	return err
}
