package accounts

import (
	"context"
	"fmt"

	"moviola/commands/ledgers"
	"moviola/domain/account"
	"moviola/eventstore"
)

// GrantCredits adds credits to an account that is open.
type GrantCredits ledgers.Grant

// GrantCreditsHandler handles GrantCredits.
type GrantCreditsHandler struct {
	log     *eventstore.Log
	ledgers *ledgers.Ledgers
}

// NewGrantCreditsHandler returns a handler.
func NewGrantCreditsHandler(log *eventstore.Log, ledgers *ledgers.Ledgers) GrantCreditsHandler {
	return GrantCreditsHandler{log: log, ledgers: ledgers}
}

// Handle grants the credits. Two calls with the same reference grant them once. An account that was never opened is
// NotFound, a closed one a Conflict.
func (h GrantCreditsHandler) Handle(ctx context.Context, cmd GrantCredits) (eventstore.Position, error) {
	a := account.New(cmd.Account)
	if _, err := h.log.CatchUp(ctx, account.Stream(cmd.Account), eventstore.Appended{Revision: eventstore.NoStream},
		a.Apply); err != nil {
		return eventstore.Position{}, fmt.Errorf("load account %s: %w", cmd.Account, err)
	}
	if err := a.RequireOpen(); err != nil {
		return eventstore.Position{}, err
	}
	appended, err := h.ledgers.Grant(ctx, ledgers.Grant(cmd))
	return appended.Position, err
}
