package mediafiles

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// MediaFolder names a folder of a media library. Folder is the folder's name in the form in which names are stored; it is not
// empty.
type MediaFolder struct {
	Account domain.AccountID
	Folder  string
}

// MediaFolderHandler creates and removes the markers of folders.
type MediaFolderHandler struct{ places places }

// NewMediaFolderHandler returns a handler.
func NewMediaFolderHandler(log *eventstore.Log, now func() time.Time) MediaFolderHandler {
	return MediaFolderHandler{places{log, now}}
}

// Create creates the marker of a folder, and reports whether the folder is new. Spec: POST
// /media/folder.
func (h MediaFolderHandler) Create(ctx context.Context, cmd MediaFolder) (bool, eventstore.Position, error) {
	return h.mark(ctx, cmd, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.CreateFolder(cmd.Folder, at), nil
	})
}

// Delete removes the marker of a folder, and reports whether there was one. If a file arrives in the folder meanwhile, the folder
// stays. Design §6.
func (h MediaFolderHandler) Delete(ctx context.Context, cmd MediaFolder) (bool, eventstore.Position, error) {
	return h.mark(ctx, cmd, func(p *media.Place, at time.Time) ([]domain.Event, error) { return p.DeleteFolder(at), nil })
}

func (h MediaFolderHandler) mark(ctx context.Context, cmd MediaFolder, decide decidePlace) (bool, eventstore.Position, error) {
	d, err := h.places.decide(ctx, media.StreamID(cmd.Account, media.Path{Folder: cmd.Folder}), decide)
	return len(d.events) > 0, d.Position, err
}
