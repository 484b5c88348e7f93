// Package background wires what runs without requests: the processors of work, chores, the curator of the template library, and
// anchors.
package background

import (
	"context"
	"slices"

	"moviola/adapters/outbound"
	"moviola/adapters/workqueue"
	"moviola/commands"
	"moviola/commands/connections"
	"moviola/domain/movie"
	"moviola/handlers/background/delivery"
	"moviola/handlers/background/live"
	"moviola/handlers/background/processors"
	"moviola/internal/app/rendering"
	"moviola/internal/app/roads"
	"moviola/internal/config"
	"moviola/projections"
)

// newProcessors wires the work of this process: the queue on the work list, the processors and their dependencies.
func (s *Background) newProcessors(ctx context.Context) (*processors.Processors, error) {
	slots := s.Slots()
	queue, err := workqueue.New(workqueue.Config{
		Work:     s.Models.Work,
		Presence: s.Models.Presence,
		Slots:    slots,
		// Receivers and the servers of sources may be slow: one account must not occupy all slots.
		PerAccount: map[string]int{
			projections.WorkDeliver: max(1, s.Config.DeliverSlots/accountDeliveries),
			projections.WorkFetch:   max(1, s.Config.FetchSlots/rendering.AccountFetches),
		},
		Later:       []string{string(commands.LibraryAccount)},
		Wake:        s.Models.Reader.Changed(),
		DeadAfter:   s.Config.ClaimTimeout,
		Fate:        s.Host.Fate,
		Apart:       []string{projections.WorkRender, projections.WorkPreload, projections.WorkFetch},
		Closed:      s.closedForWork,
		LongestRest: s.Config.RetryLimit,
		Log:         s.Logger.WithField("part", "workqueue"),
	})
	if err != nil {
		return nil, err
	}
	guard, err := roads.NewGuard(s.Config)
	if err != nil {
		return nil, err
	}
	parts := processors.Config{
		Queue:     queue,
		Commands:  s.commands(),
		Log:       s.Stores.Log,
		Cache:     s.Models.Movies,
		Files:     commands.SealDocuments(s.Stores.Files, s.Vault),
		Library:   libraryWork{s.Do.MoveMedia, s.Do.DeleteMedia},
		Presence:  s.Models.Presence,
		Trouble:   s.Models.Trouble,
		Accounts:  s.accountWork(),
		PublicURL: s.Config.PublicURL,
		Tokens:    s.Tokens,
		Limits:    processors.Limits{Render: s.Config.RenderTimeout},
		Worker:    s.Worker,
		Observer:  s.Metrics,
		Tracer:    s.Traces,
		Logger:    s.Logger.WithField("part", "work"),
	}
	if err := s.addDelivery(&parts, guard); err != nil {
		return nil, err
	}
	for kind := range slots {
		parts.Kinds = append(parts.Kinds, kind)
	}
	if s.Config.Plays(config.RoleRenderer) {
		log := s.Logger.WithField("part", "render")
		if s.Renderer, err = rendering.NewRenderer(ctx, s.Config, s.WorkFolder(), s.FileServer(log), s.SharedSources(),
			s.Stores.Files, s.SavedProvider(), s.Watched(), log); err != nil {
			return nil, err
		}
		parts.Renderer, parts.Fetcher = s.Renderer.Engine, s.Renderer.Engine
		parts.Encoder = movie.Encoder{Name: s.Renderer.Encoder.Name(), Version: s.Renderer.Encoder.Version()}
		parts.Fetches, parts.Outputs = s.Do.Fetches, s.Renderer.Outputs
	}
	parts.Preloads, parts.Confirm = s.preloadWork(), s.Do.ConfirmUpload
	return processors.New(parts)
}

// commands returns the use cases that the processors call.
func (s *Background) commands() processors.Commands {
	do := s.Do
	return processors.Commands{
		StartRender: do.StartRender, ReleaseRender: do.ReleaseRender, FinishRender: do.FinishRender, TimeOutRender: do.TimeOutRender,
		AbandonSubmission: do.AbandonSubmission, SettleMovie: do.SettleMovie, PlanRender: do.PlanRender, ExpireFile: do.ExpireFile,
		SweepTemplate: do.SweepTemplate, CompleteBatch: do.CompleteBatch, FinishBatch: do.FinishBatch,
		Delivery: delivery.Commands{
			StartDelivery: do.StartDelivery, RecordDelivery: do.RecordDelivery, ReleaseDelivery: do.ReleaseDelivery,
			FinishDelivery: do.FinishDelivery, CountRecipients: do.CountRecipients, RecordConnectionTest: do.RecordConnectionTest,
		},
	}
}

// closedForWork reports whether this process starts no new work of a kind: because it has not read the log to its end yet,
// because free disk space is below the reserve or, for renders, because the storage of rendered files is full. In the last two
// cases deliveries and removals continue.
func (s *Background) closedForWork(kind string) bool {
	// Before the read models have caught up, the work list contains work that is done already. Decision 86.
	if !s.Models.Reader.Status().CaughtUp {
		return true
	}
	if kind == projections.WorkRender && s.Stores.Rendered.Full() {
		return true
	}
	return slices.Contains([]string{projections.WorkFetch, projections.WorkRender, projections.WorkPreload}, kind) && s.Disk.Low()
}

// accountDeliveries is the divisor of an account's share: one account may use 1/16 of the delivery slots.
const accountDeliveries = 16

// addDelivery adds the senders of deliveries and of live events to the processors.
func (s *Background) addDelivery(config *processors.Config, guard *outbound.Guard) error {
	to, err := roads.NewDestinations(s.Config, guard, s.Do.Inboxes)
	if err != nil {
		return err
	}
	saved := connections.NewConnections(s.Stores.Log, s.Vault)
	config.Delivery = delivery.Roads{
		Webhook: to.Webhook, Senders: to.Senders, Connections: saved, Exchanges: s.Do.Exchanges, Visible: s.Models.Reader,
	}
	config.News = live.New(live.Config{
		Listeners: s.Models.Connections, Connections: saved, Visible: s.Models.Reader, Post: to.Live,
		Log: s.Logger.WithField("part", "live"),
	})
	return nil
}
