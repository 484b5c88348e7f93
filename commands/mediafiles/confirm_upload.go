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

// Staging is a storage to which clients upload files directly. Decision 45.
type Staging interface {
	// Presign returns an address to which a client can upload a file of exactly this size and type with PUT, valid for ttl.
	Presign(ctx context.Context, key, contentType string, size int64, ttl time.Duration) (string, error)
	// Stat describes a stored file; ErrFileNotFound when it does not exist.
	Stat(ctx context.Context, key string) (Staged, error)
	// Copy copies the file under the key from to the key to.
	Copy(ctx context.Context, from, to string) error
}

// Staged describes a file that a client has uploaded directly to the storage (see Staging).
type Staged struct {
	Size        int64 // size in bytes
	ContentType string
	At          time.Time // when the file was stored, by the storage's clock
}

// ConfirmUpload checks whether the bytes of a registered file have arrived at the storage.
type ConfirmUpload struct {
	Place string // id of the stream that the file's path in the media library has
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

// Presign returns an address of the storage to which a client can upload the bytes of a registered file. The address is valid for
// ttl.
func (h ConfirmUploadHandler) Presign(ctx context.Context, place string, file media.File, ttl time.Duration) (string, error) {
	return h.staging.Presign(ctx, blobkey.Upload(media.AccountOf(place), file.Entry), file.ContentType, file.Size, ttl)
}

// Confirm accepts the uploaded bytes of a registered file. It compares their length and type with the registration, and copies
// them to another key, so that a later upload to the same address does not change the visible file. Wrong bytes are removed.
// Bytes that arrived while the account's storage was blocked wait for credits until the registration expires. ErrNothingToDo:
// no acceptable bytes have arrived yet, the account may not store them now, or none are expected. Decisions 39 and 45.
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
		return notYet(err) // the account may have room again before the registration expires, so the confirmation is retried
	}
	_, err = h.places.decide(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Upload(file.Entry, key, at)
	})
	var refusal *domain.Error
	if errors.As(err, &refusal) { // another upload was accepted, or the registration is gone: the copy is removed
		err = errors.Join(commands.ErrNothingToDo, h.files.Delete(ctx, key))
	}
	if err != nil {
		return fmt.Errorf("confirm an upload: %w", err)
	}
	return h.files.Delete(ctx, from)
}

// notYet converts a refusal to an error after which the command is retried later.
func notYet(err error) error {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return commands.ErrNothingToDo
	}
	return err
}
