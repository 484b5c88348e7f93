// Package operators wires the operators' interface, and the operations on API keys, which operators share with accounts.
package operators

import (
	"context"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/commands/preloads"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/http/admin"
	"moviola/handlers/http/keys"
	"moviola/handlers/http/web"
	"moviola/internal/app/parts"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/projections"
	"moviola/projections/keyring"
)

// Operators wires the operators' interface and the operations on API keys.
type Operators struct {
	*parts.Parts
	Keys  *keyring.Ring
	Token *web.OperatorToken
	// Rebuild rebuilds read models at an operator's request.
	Rebuild *Rebuilder
}

// NewAdmin wires the operator's interface.
func (s *Operators) NewAdmin(secret secret.Secret, log logrus.FieldLogger, keyring *keys.API) (*admin.API, error) {
	cursorKey, err := secret.Key("operator's cursors")
	if err != nil {
		return nil, err
	}
	return admin.New(admin.Config{
		Operator:  s.Token,
		Operators: s.Do.Operators,
		Accounts:  s.Do.OpenAccount,
		Plans:     s.Do.ChangePlan,
		Offered:   s.Parts.Plans,
		Close:     closer{s.Do.CloseAccount, s.Keys},
		Books:     admin.Books{Accounts: s.Models.Accounts, Totals: s.Ledgers, Standings: s.Standings()},
		Credits:   s.Do.GrantCredits,
		Acts: admin.ActCalls{
			Record: s.Do.RecordAct,
			Pages:  s.Models.Acts,
		},
		Work:          admin.WorkCalls{Trouble: s.Models.Trouble, Drop: s.drops()},
		Capacity:      admin.CapacityCalls{Work: s.Models.Work, Now: time.Now},
		Queue:         s.Models.Work,
		Workers:       admin.WorkerCalls{Processes: s.Models.Processes, Presence: s.Models.Presence},
		Projections:   admin.ProjectionCalls{Reader: s.Models.Reader, Rebuild: s.Rebuild},
		Configuration: s.configuration(),
		Usage:         s.Models.Usage,
		Keys:          s.keyCalls(keyring),
		Projected:     s.Models.Reader,
		CursorKey:     cursorKey,
		Log:           log,
	}), nil
}

// configuration returns the configuration of this process, as operators see it.
func (s *Operators) configuration() admin.Configuration {
	shown := admin.Configuration{Version: config.Version, Process: s.Worker}
	for _, one := range s.Config.Settings {
		shown.Settings = append(shown.Settings, admin.Setting{Name: one.Name, Value: one.Value, Source: one.Source})
	}
	return shown
}

// operatorWorker is the worker's name in events of work that an operator has ended.
const operatorWorker = "operator"

// drops returns, by kind of work, the functions by which operators give up stuck work. Work of the other kinds must be done,
// above all settling.
func (s *Operators) drops() map[string]admin.DropFunc {
	giveUp := func(ctx context.Context, subject string) (eventstore.Position, error) {
		return s.Do.DropMovie.Handle(ctx, commands.DropMovie{Project: domain.ProjectID(subject), Worker: operatorWorker})
	}
	giveUpItem := func(ctx context.Context, subject string) (eventstore.Position, error) {
		id, index, ok := projections.PreloadSubject(subject)
		if !ok {
			return eventstore.Position{}, commands.ErrNothingToDo
		}
		return s.Do.DropItem.Handle(ctx, preloads.DropItem{Preload: id, Index: index, Worker: operatorWorker})
	}
	return map[string]admin.DropFunc{
		projections.WorkFetch: func(ctx context.Context, subject string) (eventstore.Position, error) {
			if strings.Contains(subject, "/") { // the subject names an item of a preload, not a movie
				return giveUpItem(ctx, subject)
			}
			return giveUp(ctx, subject)
		},
		projections.WorkRender:  giveUp,
		projections.WorkTimeout: giveUp,
		projections.WorkStop:    giveUp,
		projections.WorkPreload: giveUpItem,
		projections.WorkDeliver: func(ctx context.Context, subject string) (eventstore.Position, error) {
			return s.Do.DropDelivery.Handle(ctx, deliveries.DropDelivery{Project: domain.ProjectID(subject), Worker: operatorWorker})
		},
	}
}
