package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// CloseAccount closes an account for good.
type CloseAccount struct {
	Account domain.AccountID
}

// CloseAccountHandler handles CloseAccount: Handle closes the account, and Finish does the work that follows.
type CloseAccountHandler struct {
	log     *eventstore.Log
	ledgers *ledgers.Ledgers
	cancel  commands.CancelMovieHandler
	now     eventstore.Clock
}

// NewCloseAccountHandler returns a handler.
func NewCloseAccountHandler(log *eventstore.Log, ledgers *ledgers.Ledgers, now func() time.Time) CloseAccountHandler {
	return CloseAccountHandler{log: log, ledgers: ledgers, cancel: commands.NewCancelMovieHandler(log, now), now: now}
}

// Handle closes the account. It is idempotent; an account that was never opened is NotFound. A processor calls Finish afterwards.
// Design §6.
func (h CloseAccountHandler) Handle(ctx context.Context, cmd CloseAccount) (eventstore.Position, error) {
	a := account.New(cmd.Account)
	appended, err := h.log.Decide(ctx, account.Stream(cmd.Account), a, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := a.Close(at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("close account %s: %w", cmd.Account, err)
	}
	return appended.Position, nil
}

// Finish closes the ledger of a closed account and cancels its open movies. It returns nil when the ledger has no open hold or
// count any more: the account's files can then be removed. ErrNothingToDo: the account is not closed, or a hold or count is still
// open; a processor calls Finish again later.
func (h CloseAccountHandler) Finish(ctx context.Context, cmd CloseAccount) error {
	a := account.New(cmd.Account)
	if _, err := h.log.CatchUp(ctx, account.Stream(cmd.Account), eventstore.Appended{Revision: eventstore.NoStream},
		a.Apply); err != nil {
		return fmt.Errorf("load account %s: %w", cmd.Account, err)
	}
	if a.ClosedAt().IsZero() {
		return commands.ErrNothingToDo
	}
	if err := h.ledgers.CloseLedger(ctx, cmd.Account); err != nil {
		return fmt.Errorf("close the ledger of account %s: %w", cmd.Account, err)
	}
	open, err := h.ledgers.OpenSubjects(ctx, cmd.Account)
	if err != nil {
		return fmt.Errorf("look for the open movies of account %s: %w", cmd.Account, err)
	}
	for _, project := range open {
		if _, _, item := ledger.ParseItem(project); item {
			continue // the hold of a preload item ends with the item's own result
		}
		_, err := h.cancel.Handle(ctx, commands.CancelMovie{Account: cmd.Account, Project: project})
		var refusal *domain.Error // the movie has ended or was never submitted: then its hold ends by other means
		if err != nil && !errors.As(err, &refusal) && !errors.Is(err, commands.ErrNothingToDo) {
			return fmt.Errorf("cancel movie %s of the closed account %s: %w", project, cmd.Account, err)
		}
	}
	if len(open) > 0 {
		return commands.ErrNothingToDo
	}
	return nil
}
