package processors

import (
	"context"
	"fmt"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/projections"
)

// Purger decides when the files of an account are removed, and records the removal. accounts.PurgeAccountHandler implements
// it.
type Purger interface {
	Handle(ctx context.Context, cmd accounts.PurgeAccount) error
	Due(ctx context.Context, id domain.AccountID) (accounts.Clearing, error)
	Done(ctx context.Context, done accounts.Clearing) error
}

// Closer takes the steps of a closing that precede the removal of files. accounts.CloseAccountHandler implements it.
type Closer interface {
	Finish(ctx context.Context, cmd accounts.CloseAccount) error
}

// Cleaner removes the data that one part of the service stores for an account.
type Cleaner interface {
	// Clear removes the data described by the parameter what. It may be repeated, also after an interruption.
	Clear(ctx context.Context, what accounts.Clearing) error
}

// Accounts are the dependencies of the work on accounts. All fields are required by a process that does this work. The
// removal of an account's files calls the Cleaners one after the other, until one fails.
type Accounts struct {
	CompleteOpening Handler[accounts.CompleteOpening, accounts.OpenedAccount]
	Purger          Purger
	Closer          Closer
	Cleaners        []Cleaner
}

// completeOpening completes an interrupted opening of an account. Nobody sees the API key that the opening issues; an operator
// can issue another one.
func (p *Processors) completeOpening(ctx context.Context, task projections.Task) error {
	_, err := p.config.Accounts.CompleteOpening.Handle(ctx, accounts.CompleteOpening{Account: domain.AccountID(task.Subject)})
	return err
}

// purgeAtZero decides that the files of an account are removed, when its balance has been zero for too long.
func (p *Processors) purgeAtZero(ctx context.Context, task projections.Task) error {
	return p.config.Accounts.Purger.Handle(ctx, accounts.PurgeAccount{Account: domain.AccountID(task.Subject)})
}

// clearPurged removes the files that a purge covers.
func (p *Processors) clearPurged(ctx context.Context, task projections.Task) error {
	return p.clear(ctx, domain.AccountID(task.Subject))
}

// closeAccount takes the next steps of a closing, the last of which removes the account's files. Design §6.
func (p *Processors) closeAccount(ctx context.Context, task projections.Task) error {
	id := domain.AccountID(task.Subject)
	if err := p.config.Accounts.Closer.Finish(ctx, accounts.CloseAccount{Account: id}); err != nil {
		return err
	}
	return p.clear(ctx, id)
}

// clear removes an account's files when their removal is due, and records the removal.
func (p *Processors) clear(ctx context.Context, id domain.AccountID) error {
	due, err := p.config.Accounts.Purger.Due(ctx, id)
	if err != nil {
		return err
	}
	for _, cleaner := range p.config.Accounts.Cleaners {
		if err := cleaner.Clear(ctx, due); err != nil {
			return fmt.Errorf("remove what is stored for account %s: %w", id, err)
		}
	}
	return p.config.Accounts.Purger.Done(ctx, due)
}
