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

// Purger decides when what is stored for an account is removed, and remembers that it was. commands.PurgeAccountHandler is one.
type Purger interface {
	Handle(ctx context.Context, cmd accounts.PurgeAccount) error
	Due(ctx context.Context, id domain.AccountID) (accounts.Clearing, error)
	Done(ctx context.Context, done accounts.Clearing) error
}

// Closer takes the steps of a closing that come before anything is removed. commands.CloseAccountHandler is one.
type Closer interface {
	Finish(ctx context.Context, cmd accounts.CloseAccount) error
}

// Cleaner removes what one part of the service stores for an account.
type Cleaner interface {
	// Clear removes what the clearing says. It may be repeated, and go on where it was cut off.
	Clear(ctx context.Context, what accounts.Clearing) error
}

// Accounts are what the work on accounts needs. All fields are required for its kinds; every Cleaner is asked.
type Accounts struct {
	CompleteOpening Handler[accounts.CompleteOpening, accounts.OpenedAccount]
	Purger          Purger
	Closer          Closer
	Cleaners        []Cleaner
}

// completeOpening finishes the opening of an account that was cut short. Its key is shown to nobody: operators issue another.
func (p *Processors) completeOpening(ctx context.Context, task projections.Task) error {
	_, err := p.config.Accounts.CompleteOpening.Handle(ctx, accounts.CompleteOpening{Account: domain.AccountID(task.Subject)})
	return err
}

// purgeAtZero decides that what is stored for an account goes, when its balance has been zero for too long.
func (p *Processors) purgeAtZero(ctx context.Context, task projections.Task) error {
	return p.config.Accounts.Purger.Handle(ctx, accounts.PurgeAccount{Account: domain.AccountID(task.Subject)})
}

// clearPurged removes what a purge has condemned.
func (p *Processors) clearPurged(ctx context.Context, task projections.Task) error {
	return p.clear(ctx, domain.AccountID(task.Subject))
}

// closeAccount takes the next steps of a closing, the last of which is to remove what is stored. Design §6.
func (p *Processors) closeAccount(ctx context.Context, task projections.Task) error {
	id := domain.AccountID(task.Subject)
	if err := p.config.Accounts.Closer.Finish(ctx, accounts.CloseAccount{Account: id}); err != nil {
		return err
	}
	return p.clear(ctx, id)
}

// clear removes what is due to be removed, and records that it is gone.
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

// KeptFiles lists the movies of an account whose rendered files are still there: projections.Work is one.
type KeptFiles interface {
	Files(ctx context.Context, account domain.AccountID, after *projections.WorkItem, limit int) ([]projections.WorkItem, error)
}

// RenderedFiles removes the rendered files of an account, and, the last time, the documents of its movies.
type RenderedFiles struct {
	Kept  KeptFiles
	Purge Doer[commands.PurgeFile]
	Files commands.Files
}

var _ Cleaner = RenderedFiles{}

// filesAtOnce is how many movies are asked for in one look at the list.
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
		return nil // the documents name the destinations that movies just cancelled have to be announced at
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
