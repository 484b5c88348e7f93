package background

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/scratch"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/plan"
	"moviola/handlers/background/chores"
	"moviola/internal/config"
	"moviola/projections"
)

// halfFileAge is the age at which an unfinished stored file is removed. It is longer than the longest pause of a sender, so that
// a file that is still being written stays.
const halfFileAge = time.Hour

// newChores lists the clean-up chores of this process: the keeper cleans the storage of the installation, the renderer its own
// working files and caches.
func (s *Background) newChores() (*chores.Chores, error) {
	parts := chores.Config{
		First: min(10*time.Minute, s.Config.SweepEvery), Every: s.Config.SweepEvery,
		Logger: s.Logger.WithField("part", "chores"),
	}
	if s.Config.Plays(config.RoleKeeper) {
		parts.Chores = append(parts.Chores,
			chores.Documents(s.Stores.Files, s.Models.Movies),
			chores.Renders(s.Stores.Files, s.Models.Movies),
			chores.Chore{Name: "files that were abandoned half-written", Soon: true, Do: func(ctx context.Context, _ time.Time) error {
				return s.Stores.Files.RemoveAbandoned(ctx)
			}},
			chores.Tidy("half-written files", halfFileAge, s.Stores.Files.Tidy))
		parts.Chores = append(parts.Chores, chores.Forgotten(s.Stores.Archive, s.Stores.Discards, parts.Logger))
		parts.Chores = append(parts.Chores, s.historyChores(parts.Logger)...)
		parts.Chores = append(parts.Chores, chores.Scavenge(chores.ScavengeConfig{
			Log: s.Stores.Log.Store(), Truncated: s.Stores.Archive.Truncated, Discards: s.Stores.Discards,
			Waiting: s.Metrics.Scavenge, Logger: parts.Logger,
		}))
	}
	if s.Config.Plays(config.RoleKeeper) {
		parts.Chores = append(parts.Chores, s.mediaChores()...)
	}
	if s.Renderer != nil {
		parts.Chores = append(parts.Chores,
			chores.Departed(s.Models.Accounts, s.Renderer.Caches...),
			chores.Chore{Name: "cached assets", Do: s.Renderer.Assets.Sweep},
			chores.Chore{Name: "downloads of all hosts", Do: s.Renderer.Assets.SweepShared},
			chores.Chore{Name: "rendered parts and working files", Do: s.Renderer.Engine.Space().Sweep},
			chores.Chore{Name: "fetched fonts", Do: s.Renderer.Fonts.Sweep},
		)
		for folder, name := range map[string]string{"speech": "spoken texts", "images": "generated images"} {
			parts.Chores = append(parts.Chores, s.tidied(name, folder))
		}
	}
	return chores.New(parts)
}

// historyChores returns the chores that archive old movies and old events of ledgers. It returns no chores when the age
// from which they are archived is configured neither for the installation nor in any plan.
func (s *Background) historyChores(logger logrus.FieldLogger) []chores.Chore {
	var own []plan.Plan
	archives := s.Config.History > 0
	for _, name := range s.Plans.Histories() {
		own = append(own, s.Plans.Of(name))
		archives = archives || s.Plans.Of(name).Kept(0) > 0
	}
	if !archives {
		return nil
	}
	plans := commands.NewAccountPlans(s.Stores.Log, time.Now, s.Plans)
	s.Stores.Archive.CollapseIf(s.mayCollapse)
	return []chores.Chore{
		chores.History(chores.HistoryConfig{
			Archive: s.Stores.Archive, Codec: s.Stores.Log.Codec(), Age: s.Config.History, Plans: own, PlanOf: plans.Of, Logger: logger,
		}),
		chores.Ledgers(chores.LedgersConfig{
			Accounts: s.Models.Accounts, Openings: s.Ledgers, Archive: s.Stores.Archive, Least: chores.LeastOpened, Logger: logger,
			Age: func(ctx context.Context, account domain.AccountID) (time.Duration, error) {
				found, err := plans.Of(ctx, account)
				return found.Kept(s.Config.History), err
			},
		}),
	}
}

// mayCollapse reports whether the event store may collapse archived movies: it can do so, and every running process can read
// them. Decision 109.
func (s *Background) mayCollapse(ctx context.Context) (bool, error) {
	if can, err := s.Stores.Collapses(ctx); err != nil || !can {
		return false, err
	}
	running, err := s.Models.Processes.List(ctx)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(running, func(p projections.Process) bool { return !p.ReadsCollapsed }), nil
}

// tidied returns the chore that removes, from one cache of the renderer, files that were not used for AssetCacheTTL. name is the
// name of the chore, folder the cache's folder below WorkFolder.
func (s *Background) tidied(name, folder string) chores.Chore {
	return chores.Tidy(name, s.Config.AssetCacheTTL, func(ctx context.Context, before time.Time) error {
		var failures []error
		for _, place := range s.Renderer.Kept {
			if place.Name == folder {
				failures = append(failures, place.Room.Sweep(ctx, before))
			}
		}
		// scratch.Tidy also removes unfinished files.
		return errors.Join(append(failures, scratch.Tidy(ctx, filepath.Join(s.WorkFolder(), folder), before))...)
	})
}

// rowsAge is the age at which the stored rows of a batch are removed if the work on the batch has not removed them. It is longer
// than any outage.
const rowsAge = 60 * 24 * time.Hour

// mediaChores lists the chores that clean up the storage of media libraries and preloads.
func (s *Background) mediaChores() []chores.Chore {
	files := s.Stores.Files
	return []chores.Chore{
		chores.Media(files, s.Models.Library, s.CaughtUp),
		chores.Old("prepared assets", blobkey.Prepared.Prefix(), s.Config.AssetCacheTTL+halfFileAge, files),
		chores.Old("rows of batches", blobkey.Rows.Prefix(), rowsAge, files),
		chores.Old("what deliveries have sent and got", blobkey.Exchanges.Prefix(), deliveries.ExchangesKept, files),
		chores.Old("inboxes", blobkey.Inboxes.Prefix(), deliveries.InboxKept, files),
		chores.Old("documents of preloads", blobkey.Requests.Prefix(), s.Config.AssetCacheTTL+24*time.Hour, files),
		chores.Old("uploads that nobody expects", blobkey.Uploads.Prefix(), 24*time.Hour, files),
	}
}
