// Package background wires what works without a request: the work list, chores, and the library.
package background

import (
	"context"
	"slices"

	"moviola/adapters/outbound"
	"moviola/adapters/workqueue"
	"moviola/commands"
	"moviola/commands/connections"
	"moviola/handlers/background/processors"
	"moviola/internal/app/rendering"
	"moviola/internal/app/roads"
	"moviola/internal/config"
	"moviola/projections"
)

// newProcessors wires the work of this process: the queue over the work list, the processors and what they use.
func (s *Background) newProcessors(ctx context.Context) (*processors.Processors, error) {
	slots := s.Slots()
	queue, err := workqueue.New(workqueue.Config{
		Work:     s.Models.Work,
		Presence: s.Models.Presence,
		Slots:    slots,
		// Receivers and the servers of sources may be slow: those of one account leave places for the others.
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
		Visible:   s.Models.Reader,
		Accounts:  s.accountWork(),
		PublicURL: s.Config.PublicURL,
		Tokens:    s.Tokens,
		Limits:    processors.Limits{Render: s.Config.RenderTimeout},
		Worker:    s.Worker,
		Observer:  s.Metrics,
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
			s.Stores.Files, s.SavedProvider(), s.Metrics, log); err != nil {
			return nil, err
		}
		parts.Renderer, parts.Fetcher = s.Renderer.Engine, s.Renderer.Engine
		parts.Fetches = s.Do.Fetches
	}
	parts.Preloads, parts.Confirm = s.preloadWork(), s.Do.ConfirmUpload
	return processors.New(parts)
}

// commands are the decisions that the processors ask for.
func (s *Background) commands() processors.Commands {
	do := s.Do
	return processors.Commands{
		StartRender: do.StartRender, ReleaseRender: do.ReleaseRender, FinishRender: do.FinishRender, TimeOutRender: do.TimeOutRender,
		AbandonSubmission: do.AbandonSubmission, SettleMovie: do.SettleMovie, PlanRender: do.PlanRender, ExpireFile: do.ExpireFile,
		SweepTemplate: do.SweepTemplate, CompleteBatch: do.CompleteBatch,
		StartDelivery: do.StartDelivery, RecordDelivery: do.RecordDelivery, ReleaseDelivery: do.ReleaseDelivery,
		FinishDelivery: do.FinishDelivery, CountRecipients: do.CountRecipients, RecordConnectionTest: do.RecordConnectionTest,
	}
}

// closedForWork says whether this process takes no new work of a kind, because the disk has less room than its reserve, or
// because there is no room for what would be rendered. Deliveries and removals go on.
func (s *Background) closedForWork(kind string) bool {
	if kind == projections.WorkRender && s.Stores.Rendered.Full() {
		return true
	}
	return slices.Contains([]string{projections.WorkFetch, projections.WorkRender, projections.WorkPreload}, kind) && s.Disk.Low()
}

// accountDeliveries is the share of the deliveries of a process that one account may have: 1 in so many.
const accountDeliveries = 16

// addDelivery gives the processors what they deliver with.
func (s *Background) addDelivery(config *processors.Config, guard *outbound.Guard) error {
	to, err := roads.NewDestinations(s.Config, guard)
	if err != nil {
		return err
	}
	config.Webhook, config.Senders = to.Webhook, to.Senders
	config.Connections = connections.NewConnections(s.Stores.Log, s.Vault)
	return nil
}
