package mediafiles

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/eventstore"
)

// Staging is a storage to which clients send files by themselves. Decision 45.
type Staging interface {
	// Presign returns an address to which a file of exactly this size and type can be sent with PUT, for a time.
	Presign(ctx context.Context, key, contentType string, size int64, ttl time.Duration) (string, error)
	// Stat describes a stored file, or is ErrFileNotFound.
	Stat(ctx context.Context, key string) (Staged, error)
	// Copy makes a file's bytes also stand under another key.
	Copy(ctx context.Context, from, to string) error
}

// Staged is what a storage says of a file.
type Staged struct {
	Size        int64 // bytes
	ContentType string
	At          time.Time // when it came, on the storage's clock
}

// ConfirmUpload looks whether the bytes of a registered file have come to the storage.
type ConfirmUpload struct {
	Place string // id of the path's stream
}

// ConfirmUploadHandler handles ConfirmUpload.
type ConfirmUploadHandler struct {
	places  places
	files   commands.Files
	staging Staging
	storage *Storage
}

// NewConfirmUploadHandler returns a handler.
func NewConfirmUploadHandler(
	log *eventstore.Log, files commands.Files, staging Staging, storage *Storage, now func() time.Time,
) ConfirmUploadHandler {
	return ConfirmUploadHandler{places: places{log, now}, files: files, staging: staging, storage: storage}
}

// Presign returns the address of the storage for the bytes of a registered file.
func (h ConfirmUploadHandler) Presign(ctx context.Context, place string, file media.File, ttl time.Duration) (string, error) {
	return h.staging.Presign(ctx, blobkey.Upload(media.AccountOf(place), file.Entry), file.ContentType, file.Size, ttl)
}

// Confirm takes in the bytes of a registered file that have come: their length and type are held against what was registered, and
// they are copied once to a key of their own, so that what is sent to the same address later changes nothing that can be seen.
// What differs is removed, and what came while the account's storage was blocked waits for credits, as long as its registration
// is kept. ErrNothingToDo: nothing has come yet that can be taken in, or nothing is expected. Decisions 39 and 45.
func (h ConfirmUploadHandler) Confirm(ctx context.Context, cmd ConfirmUpload) error {
	p, err := h.places.load(ctx, cmd.Place)
	if err != nil {
		return err
	}
	file, _, expected := p.Pending()
	if !expected {
		return commands.ErrNothingToDo
	}
	account := media.AccountOf(cmd.Place)
	from := blobkey.Upload(account, file.Entry)
	staged, err := h.staging.Stat(ctx, from)
	switch {
	case errors.Is(err, commands.ErrFileNotFound):
		return commands.ErrNothingToDo
	case err != nil:
		return err
	case staged.Size != file.Size || staged.ContentType != file.ContentType:
		return errors.Join(commands.ErrNothingToDo, h.files.Delete(ctx, from))
	}
	if err := h.storage.RequireAt(ctx, account, staged.At); err != nil {
		return notYet(err)
	}
	key := blobkey.MediaFile(account, file.Entry, NewEntry())
	if err := h.staging.Copy(ctx, from, key); err != nil {
		return notYet(err) // a full storage may have room again before the registration lapses
	}
	_, err = h.places.decide(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Upload(file.Entry, key, at)
	})
	var refusal *domain.Error
	if errors.As(err, &refusal) { // another was faster: the bytes are not needed
		err = errors.Join(commands.ErrNothingToDo, h.files.Delete(ctx, key))
	}
	if err != nil {
		return fmt.Errorf("confirm an upload: %w", err)
	}
	return h.files.Delete(ctx, from)
}

// notYet makes a refusal something to ask for again.
func notYet(err error) error {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return commands.ErrNothingToDo
	}
	return err
}
