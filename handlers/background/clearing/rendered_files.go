package clearing

import (
	"context"
	"errors"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/projections"
)

// KeptFiles lists the movies of an account whose rendered files still exist. projections.Work implements it.
type KeptFiles interface {
	Files(ctx context.Context, account domain.AccountID, after *projections.WorkItem, limit int) ([]projections.WorkItem, error)
}

// RenderedFiles removes the rendered files of an account, and, in the final removal (the field Last of Clearing), the
// documents of its movies.
type RenderedFiles struct {
	Kept  KeptFiles
	Purge doing[commands.PurgeFile]
	Files commands.Files
}

// filesAtOnce is how many movies one page of KeptFiles has.
const filesAtOnce = 200

// Clear implements processors.Cleaner.
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
		return nil // documents stay until the final removal, because they name the webhooks of cancelled movies
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
