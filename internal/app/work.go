package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"moviola/adapters/assets"
	"moviola/adapters/workqueue"
	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/handlers/background/processors"
	"moviola/internal/config"
	"moviola/projections"
)

// accountFetches is the part of the slots for fetching that one account may take: a quarter.
const accountFetches = 4

// keeperSlots is how many of each of the keeper's small tasks are done at the same time.
const keeperSlots = 4

// slots says which work this process takes, and how much of each at the same time: every kind of its roles.
func (s *service) slots() map[string]int {
	own := map[string]int{
		projections.WorkRender:  s.cfg.MoviesAtOnce(),
		projections.WorkPreload: s.cfg.PreloadSlots,
		projections.WorkFetch:   s.cfg.FetchSlots,
		projections.WorkDeliver: s.cfg.DeliverSlots,
	}
	slots := map[string]int{}
	for _, kind := range projections.WorkKinds() {
		switch n, has := own[kind.Name]; {
		case !s.cfg.Plays(kind.Role):
		case kind.Name == projections.WorkConfirm && !s.stores.Files.Presigns(): // every upload comes to this service
		case has:
			slots[kind.Name] = n
		default:
			slots[kind.Name] = keeperSlots
		}
	}
	return slots
}

// newProcessors wires the work of this process: the queue over the work list, the processors and what they use.
func (s *service) newProcessors(ctx context.Context) (*processors.Processors, error) {
	slots := s.slots()
	queue, err := workqueue.New(workqueue.Config{
		Work:     s.models.Work,
		Presence: s.models.Presence,
		Slots:    slots,
		// Receivers and the servers of sources may be slow: those of one account leave places for the others.
		PerAccount: map[string]int{
			projections.WorkDeliver: max(1, s.cfg.DeliverSlots/accountDeliveries),
			projections.WorkFetch:   max(1, s.cfg.FetchSlots/accountFetches),
		},
		Later:       []string{string(commands.LibraryAccount)},
		Wake:        s.models.Reader.Changed(),
		DeadAfter:   s.cfg.ClaimTimeout,
		Fate:        s.host.Fate,
		Apart:       []string{projections.WorkRender, projections.WorkPreload, projections.WorkFetch},
		Closed:      s.closedForWork,
		LongestRest: s.cfg.RetryLimit,
		Log:         s.log.WithField("part", "workqueue"),
	})
	if err != nil {
		return nil, err
	}
	guard, err := NewGuard(s.cfg)
	if err != nil {
		return nil, err
	}
	parts := processors.Config{
		Queue:     queue,
		Commands:  s.commands(),
		Log:       s.stores.Log,
		Cache:     s.models.Movies,
		Files:     commands.SealDocuments(s.stores.Files, s.vault),
		Library:   libraryWork{s.media.move, s.media.remove},
		Presence:  s.models.Presence,
		Trouble:   s.models.Trouble,
		Visible:   s.models.Reader,
		Accounts:  s.accountWork(),
		PublicURL: s.cfg.PublicURL,
		Tokens:    s.tokens,
		Limits:    processors.Limits{Render: s.cfg.RenderTimeout},
		Worker:    s.worker,
		Observer:  s.metrics,
		Logger:    s.log.WithField("part", "work"),
	}
	if err := s.addDelivery(&parts, guard); err != nil {
		return nil, err
	}
	for kind := range slots {
		parts.Kinds = append(parts.Kinds, kind)
	}
	if s.cfg.Plays(config.RoleRenderer) {
		log := s.log.WithField("part", "render")
		if s.renderer, err = NewRenderer(ctx, s.cfg, s.workFolder(), s.fileServer(log), s.sharedSources(), s.stores.Files, s.savedProvider(), s.metrics, log); err != nil {
			return nil, err
		}
		parts.Renderer, parts.Fetcher = s.renderer.Engine, s.renderer.Engine
		parts.Fetches = commands.NewSourceFetches(s.stores.Log, time.Now)
	}
	parts.Preloads, parts.Confirm = s.preloadWork(), s.media.confirm
	return processors.New(parts)
}

// sharedSources is where the renderers of other hosts find what this one has downloaded: in the storage of files, unless that is the data folder,
// which they share.
func (s *service) sharedSources() assets.Store {
	if s.cfg.Blobs == "" {
		return nil
	}
	return s.stores.Files
}

// WorkFolder is where this host's renderers keep what can be made again.
func (s *service) workFolder() string { return filepath.Join(s.cfg.Data, WorkFolder) }

// WorkFolder is where everything lies that renders keep, below the data folder.
const WorkFolder = "work"

// commands are the decisions that the processors ask for.
func (s *service) commands() processors.Commands {
	log, files, now := s.stores.Log, s.stores.Files, time.Now
	settle := commands.NewSettleMovieHandler(log, s.ledgers, files)
	return processors.Commands{
		StartRender:   commands.NewStartRenderHandler(log, now, s.cfg.RenderTimeout),
		ReleaseRender: commands.NewReleaseRenderHandler(log, now),
		FinishRender:  commands.NewFinishRenderHandler(log, files, now),
		TimeOutRender: commands.NewTimeOutRenderHandler(log, now, s.cfg.RenderTimeout),
		AbandonSubmission: commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
			Log: log, Ledgers: s.ledgers, Settle: settle, Now: now, Age: s.cfg.AbandonAfter,
		}),
		SettleMovie:     settle,
		PlanRender:      commands.NewPlanRenderHandler(commands.PlanRenderConfig{Log: log, Ledgers: s.ledgers, Plans: s.plans, Now: now}),
		ExpireFile:      commands.NewExpireFileHandler(log, files, now, s.cfg.FileRetention),
		SweepTemplate:   s.newSweeper(),
		CompleteBatch:   commands.NewCompleteBatchHandler(s.submitter()),
		StartDelivery:   deliveries.NewStartDeliveryHandler(log, now),
		RecordDelivery:  deliveries.NewRecordDeliveryHandler(log, now),
		ReleaseDelivery: deliveries.NewReleaseDeliveryHandler(log, now),
		FinishDelivery:  deliveries.NewFinishDeliveryHandler(log, now),

		RecordConnectionTest: connections.NewRecordConnectionTestHandler(log, now),
		CountRecipients:      s.emails(),
	}
}

// workerName names this run of this process in its claims: host, process id and random digits, so that no other run, before or
// after, here or elsewhere, has the same.
func workerName() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find the name of this host: %w", err)
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(random)), nil
}
