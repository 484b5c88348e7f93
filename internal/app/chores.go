package app

import (
	"context"
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
		spoken, painted := filepath.Join(s.workFolder(), "speech"), filepath.Join(s.workFolder(), "images")
		parts.Chores = append(parts.Chores,
			chores.Departed(s.models.Accounts, s.renderer.caches...),
			chores.Chore{Name: "cached assets", Do: s.renderer.assets.Sweep},
			chores.Chore{Name: "downloads of all hosts", Do: s.renderer.assets.SweepShared},
			chores.Chore{Name: "rendered parts and working files", Do: s.renderer.Engine.Sweep},
			chores.Chore{Name: "fetched fonts", Do: s.renderer.fonts.Sweep},
			chores.Tidy("spoken texts", s.cfg.AssetCacheTTL, func(ctx context.Context, before time.Time) error {
				return scratch.Tidy(ctx, spoken, before)
			}),
			chores.Tidy("generated images", s.cfg.AssetCacheTTL, func(ctx context.Context, before time.Time) error {
				return scratch.Tidy(ctx, painted, before)
			}))
	}
	return chores.New(parts)
}
