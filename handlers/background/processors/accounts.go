package processors

import (
	"context"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/projections"
)

// Purger decides when the files of an account are removed, and records that they were. accounts.PurgeAccountHandler implements
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
	// Clear removes what the clearing describes. It may be repeated, also after an interruption.
	Clear(ctx context.Context, what accounts.Clearing) error
}

// Accounts are the dependencies of the work on accounts. All fields are required for its kinds; every Cleaner is called.
type Accounts struct {
	CompleteOpening Handler[accounts.CompleteOpening, accounts.OpenedAccount]
	Purger          Purger
	Closer          Closer
	Cleaners        []Cleaner
}

// completeOpening completes an interrupted opening of an account. Nobody sees the key that it issues: operators issue another
// one.
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

// clear removes an account's files when that is due, and records it.
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

// KeptFiles lists the movies of an account whose rendered files still exist. projections.Work implements it.
type KeptFiles interface {
	Files(ctx context.Context, account domain.AccountID, after *projections.WorkItem, limit int) ([]projections.WorkItem, error)
}

// RenderedFiles removes the rendered files of an account, and, in the last round, the documents of its movies.
type RenderedFiles struct {
	Kept  KeptFiles
	Purge Doer[commands.PurgeFile]
	Files commands.Files
}

var _ Cleaner = RenderedFiles{}

// filesAtOnce is how many movies one page of the list has.
const filesAtOnce = 200

// Clear implements Cleaner.
func (r RenderedFiles) Clear(ctx context.Context, what accounts.Clearing) error {
	var after *projections.WorkItem
	for {
		items, err := r.Kept.Files(ctx, what.Account, after, filesAtOnce)
		if err != nil {
			return err
		}
		for _, item := range items {
			err := r.Purge.Handle(ctx, commands.PurgeFile{Project: domain.ProjectID(item.Subject), Before: what.Before})
			if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
				return err
			}
		}
		if len(items) == 0 {
			break
		}
		after = &items[len(items)-1]
	}
	if what.Reason != account.Departure || !what.Last {
		return nil // the documents name the webhooks of movies that the closing has cancelled
	}
	return r.documents(ctx, what.Account)
}

// documents removes the documents of all movies of an account.
func (r RenderedFiles) documents(ctx context.Context, id domain.AccountID) error {
	keys, err := r.Files.List(ctx, blobkey.Documents.Of(id))
	for _, key := range keys {
		if err == nil {
			err = r.Files.Delete(ctx, key)
		}
	}
	return err
}
