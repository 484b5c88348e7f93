package clearing

import (
	"context"
	"errors"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/eventstore"
	"moviola/projections"
)

// MediaLister lists the contents of media libraries. projections.Library implements it.
type MediaLister interface {
	All(ctx context.Context, account domain.AccountID, after *projections.MediaFile, limit int) ([]projections.MediaFile, error)
	Tree(ctx context.Context, account domain.AccountID, after string, limit int) ([]projections.MediaFolder, error)
}

// Clearer removes the file, registration or marker at a path of a library.
type Clearer interface {
	Clear(ctx context.Context, cmd mediafiles.ClearMedia) error
}

// StoredMedia removes the media library of an account. When the account is closed, it also removes the account's folders,
// prepared assets, preload documents, rows of batches, requests and answers of deliveries, inboxes, and uploads.
type StoredMedia struct {
	Library MediaLister
	Remove  Clearer
	Files   commands.Files
}

// Clear implements processors.Cleaner. A purge keeps files that were stored after the purge was decided; a closing removes
// everything.
func (s StoredMedia) Clear(ctx context.Context, what accounts.Clearing) error {
	why := media.Purged
	if what.Reason == account.Departure {
		why = media.Closed
	}
	if err := s.files(ctx, what, why); err != nil || why == media.Purged {
		return err
	}
	if err := s.folders(ctx, what.Account); err != nil {
		return err
	}
	for _, kind := range []blobkey.Kind{blobkey.Prepared, blobkey.Requests, blobkey.Rows, blobkey.Exchanges, blobkey.Inboxes,
		blobkey.Uploads, blobkey.Media} {
		keys, err := s.Files.List(ctx, kind.Of(what.Account))
		for _, key := range keys {
			if err == nil {
				err = s.Files.Delete(ctx, key)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s StoredMedia) files(ctx context.Context, what accounts.Clearing, why media.Reason) error {
	var after *projections.MediaFile
	for {
		files, err := s.Library.All(ctx, what.Account, after, filesAtOnce)
		if err != nil || len(files) == 0 {
			return err
		}
		for _, f := range files {
			late := what.Before != (eventstore.Position{}) && f.Position().Compare(what.Before) >= 0
			if late {
				continue
			}
			err := s.Remove.Clear(ctx, mediafiles.ClearMedia{Place: f.ID, Why: why})
			if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
				return err
			}
		}
		after = &files[len(files)-1]
	}
}

// folders removes the markers of all folders.
func (s StoredMedia) folders(ctx context.Context, id domain.AccountID) error {
	after := ""
	for {
		folders, err := s.Library.Tree(ctx, id, after, filesAtOnce)
		if err != nil || len(folders) == 0 {
			return err
		}
		for _, f := range folders {
			if !f.Marker {
				continue
			}
			place := media.StreamID(id, media.Path{Folder: f.Path})
			err := s.Remove.Clear(ctx, mediafiles.ClearMedia{Place: place, Why: media.Closed})
			if err != nil && !errors.Is(err, commands.ErrNothingToDo) {
				return err
			}
		}
		after = folders[len(folders)-1].Path
	}
}
