package mediafiles

import (
	"context"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// DeleteMedia removes a file, or a registration, from a media library. Spec: DELETE /media/file.
type DeleteMedia struct {
	Account domain.AccountID
	Path    media.Path
	// Pending is the entry of the only registration that may be removed; what else is at the path stays. Empty: all is removed.
	Pending string
}

// DeleteMediaHandler handles all commands that remove files from media libraries.
type DeleteMediaHandler struct {
	places    places
	files     commands.Files
	retention time.Duration
}

// NewDeleteMediaHandler returns a handler. retention is how long temporary files are kept.
func NewDeleteMediaHandler(
	log *eventstore.Log, files commands.Files, now func() time.Time, retention time.Duration,
) DeleteMediaHandler {
	return DeleteMediaHandler{places: places{log, now}, files: files, retention: retention}
}

// Handle removes the file. It refuses with ErrNotFound or, while the file is being moved, with ErrMoving.
func (h DeleteMediaHandler) Handle(ctx context.Context, cmd DeleteMedia) (eventstore.Position, error) {
	return h.remove(ctx, media.StreamID(cmd.Account, cmd.Path), func(p *media.Place, at time.Time) ([]domain.Event, error) {
		if file, _, pending := p.Pending(); cmd.Pending != "" && (!pending || file.Entry != cmd.Pending) {
			return nil, nil
		}
		return p.Delete(at)
	})
}

// remove appends the events that decide returns, and then removes the bytes of the file, so that every visible file has its
// bytes. If the process ends in between, the daily chore removes the bytes. ErrNothingToDo: decide returns no events.
func (h DeleteMediaHandler) remove(ctx context.Context, id string, decide decidePlace) (eventstore.Position, error) {
	d, err := h.places.decide(ctx, id, decide)
	if err != nil {
		return d.Position, err
	}
	for _, event := range d.events {
		gone, ok := event.(media.FileDeleted)
		if !ok || gone.Blob == "" {
			continue
		}
		if err := h.files.Delete(context.WithoutCancel(ctx), gone.Blob); err != nil {
			return d.Position, fmt.Errorf("remove the bytes of media path %s: %w", id, err)
		}
	}
	if len(d.events) == 0 {
		return d.Position, commands.ErrNothingToDo
	}
	return d.Position, nil
}

// ExpireMedia removes a temporary file whose retention has ended, or a registration whose upload can no longer come.
type ExpireMedia struct {
	Place string // id of the stream of the file's path in the library
}

// Expire handles ExpireMedia. ErrNothingToDo: the file or registration is not due, is being moved, or is removed already.
func (h DeleteMediaHandler) Expire(ctx context.Context, cmd ExpireMedia) error {
	_, err := h.remove(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Expire(at, h.retention), nil
	})
	return err
}

// ClearMedia removes what is stored at a path of an account that is purged or closed.
type ClearMedia struct {
	Place string // id of the stream that the file's path in the media library has
	Why   media.Reason
}

// Clear removes the file, the registration or the folder marker at the path. ErrNothingToDo: there is nothing at the path. For a
// file that is being moved the error is ErrMoving; the caller retries, because moves end soon.
func (h DeleteMediaHandler) Clear(ctx context.Context, cmd ClearMedia) error {
	_, err := h.remove(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Clear(cmd.Why, at)
	})
	return err
}
