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

// DeleteMedia removes a file, or a registration, from a library. Spec: DELETE /media/file.
type DeleteMedia struct {
	Account domain.AccountID
	Path    media.Path
}

// DeleteMediaHandler handles all that removes files from libraries.
type DeleteMediaHandler struct {
	places    places
	files     commands.Files
	retention time.Duration
}

// NewDeleteMediaHandler returns a handler. Temporary files are kept for the retention.
func NewDeleteMediaHandler(
	log *eventstore.Log, files commands.Files, now func() time.Time, retention time.Duration,
) DeleteMediaHandler {
	return DeleteMediaHandler{places: places{log, now}, files: files, retention: retention}
}

// Handle removes the file. It refuses with ErrNotFound or, while the file is being moved, with ErrMoving.
func (h DeleteMediaHandler) Handle(ctx context.Context, cmd DeleteMedia) (eventstore.Position, error) {
	return h.remove(ctx, media.StreamID(cmd.Account, cmd.Path), (*media.Place).Delete)
}

// remove appends what a decision removes, and then removes the bytes: nobody is shown a file without its bytes. Bytes that are
// left because the process ends in between are found by the sweep.
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

// ExpireMedia removes a temporary file, or a registration, whose time has come.
type ExpireMedia struct {
	Place string // id of the path's stream
}

// Expire removes it. ErrNothingToDo: it is not due, or gone already.
func (h DeleteMediaHandler) Expire(ctx context.Context, cmd ExpireMedia) error {
	_, err := h.remove(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Expire(at, h.retention), nil
	})
	return err
}

// ClearMedia removes whatever is at a path of an account that is purged or closed.
type ClearMedia struct {
	Place string // id of the path's stream
	Why   media.Reason
}

// Clear removes the file, the registration or the marker. ErrNothingToDo: there is none. A file that is being moved is ErrMoving:
// try again, for a move ends soon.
func (h DeleteMediaHandler) Clear(ctx context.Context, cmd ClearMedia) error {
	_, err := h.remove(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Clear(cmd.Why, at)
	})
	return err
}
