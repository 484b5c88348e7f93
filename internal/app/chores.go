package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"moviola/adapters/scratch"
	"moviola/handlers/background/chores"
	"moviola/internal/config"
)

// halfFileAge is the age at which a stored file that nobody has finished is removed.
// As long as it is being written it is younger than the longest pause of a sender.
const halfFileAge = time.Hour

// newChores says what this process tidies up: the keeper what is stored for all, the renderer its own working files and caches.
func (s *service) newChores() (*chores.Chores, error) {
	parts := chores.Config{
		First: min(10*time.Minute, s.cfg.SweepEvery), Every: s.cfg.SweepEvery,
		Logger: s.log.WithField("part", "chores"),
	}
	if s.cfg.Plays(config.RoleKeeper) {
		parts.Chores = append(parts.Chores,
			chores.Documents(s.stores.Files, s.models.Movies),
			chores.Renders(s.stores.Files, s.models.Movies),
			chores.Chore{Name: "files that were abandoned half-written", Soon: true, Do: func(ctx context.Context, _ time.Time) error {
				return s.stores.Files.RemoveAbandoned(ctx)
			}},
			chores.Tidy("half-written files", halfFileAge, s.stores.Files.Tidy))
	}
	if s.cfg.Plays(config.RoleKeeper) {
		parts.Chores = append(parts.Chores, s.mediaChores()...)
	}
	if s.renderer != nil {
		parts.Chores = append(parts.Chores,
			chores.Departed(s.models.Accounts, s.renderer.caches...),
			chores.Chore{Name: "cached assets", Do: s.renderer.assets.Sweep},
			chores.Chore{Name: "downloads of all hosts", Do: s.renderer.assets.SweepShared},
			chores.Chore{Name: "rendered parts and working files", Do: s.renderer.Engine.Sweep},
			chores.Chore{Name: "fetched fonts", Do: s.renderer.fonts.Sweep},
		)
		for folder, name := range map[string]string{"speech": "spoken texts", "images": "generated images"} {
			parts.Chores = append(parts.Chores, s.tidied(name, folder))
		}
	}
	return chores.New(parts)
}

// tidied is the chore of removing what was not used for the time to live from a cache of the renderer, which has the name of its folder.
func (s *service) tidied(name, folder string) chores.Chore {
	return chores.Tidy(name, s.cfg.AssetCacheTTL, func(ctx context.Context, before time.Time) error {
		var failures []error
		for _, place := range s.renderer.kept {
			if place.name == folder {
				failures = append(failures, place.room.Sweep(ctx, before))
			}
		}
		return errors.Join(append(failures, scratch.Tidy(ctx, filepath.Join(s.workFolder(), folder), before))...) // what was never finished, too
	})
}
