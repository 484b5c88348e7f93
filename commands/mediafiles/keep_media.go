package mediafiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/eventstore"
)

// generatedFolder is where assets that were made are kept. Decision 47.
const generatedFolder = "generated"

// KeepMedia puts an asset that was made into the media library of its account, as generated/<name>. Decision 47.
type KeepMedia struct {
	Account     domain.AccountID
	Name        string // with its extension: <project or preload>-<id or number>.<ext>
	ContentType string
	Size        int64
	Open        func() (io.ReadCloser, error)
	// Once names the asset: one that was kept under this name and the same Once before is not kept again. Empty: it is.
	Once string
}

// KeptMedia is where the asset is.
type KeptMedia struct {
	media.File
	Position eventstore.Position
}

// KeepMediaHandler handles KeepMedia.
type KeepMediaHandler struct {
	places  places
	files   commands.Files
	storage *Storage
}

// NewKeepMediaHandler returns a handler.
func NewKeepMediaHandler(log *eventstore.Log, files commands.Files, storage *Storage, now func() time.Time) KeepMediaHandler {
	return KeepMediaHandler{places: places{log, now}, files: files, storage: storage}
}

// maxNumbered is how many names are tried.
const maxNumbered = 1000

// Handle stores the asset. A name that is taken is tried again with -2, -3, ... before its extension. While the account's storage
// is blocked it is ErrStorageBlocked.
func (h KeepMediaHandler) Handle(ctx context.Context, cmd KeepMedia) (KeptMedia, error) {
	if err := h.storage.Require(ctx, cmd.Account); err != nil {
		return KeptMedia{}, err
	}
	if cmd.Size <= 0 || cmd.Size > media.MaxSize {
		return KeptMedia{}, fmt.Errorf("keep %s: a file of %d bytes does not fit into a media library", cmd.Name, cmd.Size)
	}
	entry := NewEntry()
	if cmd.Once != "" {
		sum := sha256.Sum256([]byte(cmd.Once + "\x00" + cmd.Name))
		entry = hex.EncodeToString(sum[:])[:entryLength]
	}
	key := blobkey.MediaFile(cmd.Account, entry, NewEntry())
	if err := h.store(ctx, key, cmd); err != nil {
		return KeptMedia{}, fmt.Errorf("keep %s: %w", cmd.Name, err)
	}
	kept, again, err := h.place(ctx, cmd, entry, key)
	var refusal *domain.Error
	if again || errors.As(err, &refusal) { // after any other error the event may stand
		err = errors.Join(err, h.files.Delete(context.WithoutCancel(ctx), key))
	}
	return kept, err
}

func (h KeepMediaHandler) store(ctx context.Context, key string, cmd KeepMedia) error {
	content, err := cmd.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	return h.files.Put(ctx, key, &exactly{r: content, left: cmd.Size})
}

// place finds a free name for stored bytes, or the one under which the asset was kept before.
func (h KeepMediaHandler) place(ctx context.Context, cmd KeepMedia, entry, key string) (kept KeptMedia, again bool, err error) {
	name, err := media.FileName(cmd.Name)
	if err != nil {
		return KeptMedia{}, false, err
	}
	for n := 1; n <= maxNumbered; n++ {
		file := media.File{Folder: generatedFolder, Name: numbered(name, n), Entry: entry, ContentType: cmd.ContentType, Size: cmd.Size}
		d, err := h.places.decide(ctx, media.StreamID(cmd.Account, file.Path()),
			func(p *media.Place, at time.Time) ([]domain.Event, error) {
				before, _, there := p.Uploaded()
				if again = there && before.Entry == entry; again {
					return nil, nil
				}
				return p.Put(file, key, at)
			})
		if !errors.Is(err, media.ErrExists) {
			return KeptMedia{File: file, Position: d.Position}, again, err
		}
	}
	return KeptMedia{}, false, fmt.Errorf("keep %s: %w", name, media.ErrExists)
}

// numbered is a name with a number from 2 on before its extension.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	stem, ext := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		stem, ext = name[:i], name[i:]
	}
	return stem + "-" + strconv.Itoa(n) + ext
}
