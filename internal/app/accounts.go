package app

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/commands/preloads"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/background/processors"
	"moviola/handlers/http/admin"
	"moviola/handlers/http/keys"
	"moviola/internal/secret"
	"moviola/projections"
)

// accountWork wires what becomes of accounts: openings that were cut short, balances at zero for too long, closings.
func (s *service) accountWork() processors.Accounts {
	log, files, now := s.stores.Log, s.stores.Files, time.Now
	return processors.Accounts{
		CompleteOpening: s.completer(),
		Purger: accounts.NewPurgeAccountHandler(accounts.PurgeAccountConfig{
			Log: log, Ledgers: s.ledgers, Plans: s.plans, Now: now, After: s.cfg.ZeroRetention, Again: s.cfg.ClearAgain,
		}),
		Closer: accounts.NewCloseAccountHandler(log, s.ledgers, now),
		Cleaners: []processors.Cleaner{
			processors.RenderedFiles{Kept: s.models.Work, Purge: commands.NewPurgeFileHandler(log, files, now), Files: files},
			processors.SavedTemplates{
				Saved: s.models.Templates, Delete: templates.NewDeleteTemplateHandler(s.templateConfig()), Sweep: s.newSweeper(),
			},
			processors.IssuedKeys{Issued: s.models.Keys, Revoke: accounts.NewRevokeKeyHandler(log, now)},
			processors.SavedConnections{Saved: s.models.Connections, Delete: connections.NewDeleteConnectionHandler(log, now)},
			processors.StoredMedia{Library: s.models.Library, Remove: s.media.remove, Files: files},
		},
	}
}

// newAdmin wires the operator's interface.
func (s *service) newAdmin(secret secret.Secret, log logrus.FieldLogger, keyring *keys.API) (*admin.API, error) {
	cursorKey, err := secret.Key("operator's cursors")
	if err != nil {
		return nil, err
	}
	elog, now := s.stores.Log, time.Now
	return admin.New(admin.Config{
		Operator: s.operator,
		Accounts: s.opener(),
		Plans:    accounts.NewChangePlanHandler(elog, s.ledgers, s.plans, now),
		Close:    closer{accounts.NewCloseAccountHandler(elog, s.ledgers, now), s.keys},
		Books:    admin.Books{Accounts: s.models.Accounts, Totals: s.ledgers, Standings: s.standings()},
		Credits:  accounts.NewGrantCreditsHandler(elog, s.ledgers),
		Acts: admin.ActCalls{
			Record: accounts.NewRecordActHandler(elog, rand.Reader, now),
			Pages:  s.models.Acts,
		},
		Work:      admin.WorkCalls{Trouble: s.models.Trouble, Drop: s.drops()},
		Capacity:  admin.CapacityCalls{Work: s.models.Work, Now: now},
		Keys:      s.keyCalls(keyring),
		Projected: s.models.Reader,
		CursorKey: cursorKey,
		Log:       log,
	}), nil
}

// standings tell what accounts may do.
func (s *service) standings() *commands.Standings {
	return commands.NewStandings(s.stores.Log, s.ledgers, s.plans, time.Now)
}

// operatorWorker stands for operators where an event names who did its work.
const operatorWorker = "operator"

// drops are the ways to end stuck work that may be given up. What is not here has to be done: settling, above all.
func (s *service) drops() map[string]admin.DropFunc {
	dropMovie := commands.NewDropMovieHandler(s.stores.Log, time.Now)
	dropDelivery := deliveries.NewDropDeliveryHandler(s.stores.Log, time.Now)
	dropItem := preloads.NewDropItemHandler(s.stores.Log, time.Now)
	giveUp := func(ctx context.Context, subject string) (eventstore.Position, error) {
		return dropMovie.Handle(ctx, commands.DropMovie{Project: domain.ProjectID(subject), Worker: operatorWorker})
	}
	giveUpItem := func(ctx context.Context, subject string) (eventstore.Position, error) {
		id, index, ok := projections.PreloadSubject(subject)
		if !ok {
			return eventstore.Position{}, commands.ErrNothingToDo
		}
		return dropItem.Handle(ctx, preloads.DropItem{Preload: id, Index: index, Worker: operatorWorker})
	}
	return map[string]admin.DropFunc{
		projections.WorkFetch: func(ctx context.Context, subject string) (eventstore.Position, error) {
			if strings.Contains(subject, "/") { // an item of a preload
				return giveUpItem(ctx, subject)
			}
			return giveUp(ctx, subject)
		},
		projections.WorkRender:  giveUp,
		projections.WorkTimeout: giveUp,
		projections.WorkStop:    giveUp,
		projections.WorkPreload: giveUpItem,
		projections.WorkDeliver: func(ctx context.Context, subject string) (eventstore.Position, error) {
			return dropDelivery.Handle(ctx, deliveries.DropDelivery{Project: domain.ProjectID(subject), Worker: operatorWorker})
		},
	}
}
