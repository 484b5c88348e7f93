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

// generatedFolder is the folder of a media library for assets that were generated. Decision 47.
const generatedFolder = "generated"

// KeepMedia stores a generated asset in the media library of its account, as generated/<name>. Decision 47.
type KeepMedia struct {
	Account     domain.AccountID
	Name        string // file name with its extension, such as <project>-<element's id>.<ext> or <preload>-<item's id>.<ext>
	ContentType string
	Size        int64
	Open        func() (io.ReadCloser, error)
	// Once makes the command idempotent: an asset with the same name and the same Once is not stored again while the first
	// one is in its place, unless both are stored at the same time. Empty: every command stores the asset again.
	Once string
}

// KeptMedia is the stored file of an asset.
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

// maxNumbered is the maximum number of names that Handle tries when the wanted name is taken.
const maxNumbered = 1000

// Handle stores the asset. When the name is taken, it tries -2, -3, ... before the extension. While the account's storage is
// blocked, the error is ErrStorageBlocked.
func (h KeepMediaHandler) Handle(ctx context.Context, cmd KeepMedia) (KeptMedia, error) {
	if err := h.storage.Require(ctx, cmd.Account); err != nil {
		return KeptMedia{}, err
	}
	if cmd.Size <= 0 || cmd.Size > media.MaxSize {
		return KeptMedia{}, fmt.Errorf("keep %s: a file of %d bytes does not fit into a media library", cmd.Name, cmd.Size)
	}
	name, err := media.FileName(cmd.Name)
	if err != nil {
		return KeptMedia{}, err
	}
	entry := NewEntry()
	if cmd.Once != "" {
		sum := sha256.Sum256([]byte(cmd.Once + "\x00" + cmd.Name))
		entry = hex.EncodeToString(sum[:])[:entryLength]
		if kept, found, err := h.before(ctx, cmd.Account, name, entry); found || err != nil {
			return kept, err
		}
	}
	key := blobkey.MediaFile(cmd.Account, entry, NewEntry())
	if err := h.store(ctx, key, cmd); err != nil {
		return KeptMedia{}, fmt.Errorf("keep %s: %w", cmd.Name, err)
	}
	kept, again, err := h.place(ctx, cmd, name, entry, key)
	var refusal *domain.Error
	if again || errors.As(err, &refusal) { // after an error that is no refusal the bytes stay: the event may have been stored
		err = errors.Join(err, h.files.Delete(context.WithoutCancel(ctx), key))
	}
	return kept, err
}

// TakeBack removes an asset that Handle has stored. It does nothing when the asset is no longer at its place.
func (h KeepMediaHandler) TakeBack(ctx context.Context, account domain.AccountID, kept KeptMedia) error {
	var blob string
	_, err := h.places.decide(ctx, media.StreamID(account, kept.Path()), func(p *media.Place, at time.Time) ([]domain.Event, error) {
		file, key, there := p.Uploaded()
		if blob = key; !there || file.Entry != kept.Entry {
			blob = ""
			return nil, nil
		}
		return p.Delete(at)
	})
	if err == nil && blob != "" {
		err = h.files.Delete(context.WithoutCancel(ctx), blob)
	}
	return err
}

func (h KeepMediaHandler) store(ctx context.Context, key string, cmd KeepMedia) error {
	content, err := cmd.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	return h.files.Put(ctx, key, &exactly{r: content, left: cmd.Size})
}

// before returns the file with an entry that is stored under name, or under a number that follows it. It looks on behind a
// name that was used and is free again, because the name was taken when the file was stored.
func (h KeepMediaHandler) before(
	ctx context.Context, account domain.AccountID, name, entry string,
) (kept KeptMedia, found bool, err error) {
	for n := 1; n <= maxNumbered; n++ {
		id := media.StreamID(account, media.Path{Folder: generatedFolder, Name: numbered(name, n)})
		d, err := h.places.decide(ctx, id, func(*media.Place, time.Time) ([]domain.Event, error) { return nil, nil })
		if err != nil || d.Revision == eventstore.NoStream {
			return KeptMedia{}, false, err
		}
		if file, _, there := d.Uploaded(); there && file.Entry == entry {
			return KeptMedia{File: file, Position: d.Position}, true, nil
		}
	}
	return KeptMedia{}, false, nil
}

// place makes stored bytes visible under a free name, or returns the name under which the same asset was made visible
// meanwhile; then again is true.
func (h KeepMediaHandler) place(
	ctx context.Context, cmd KeepMedia, name, entry, key string,
) (kept KeptMedia, again bool, err error) {
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

// numbered returns name with -n before its extension; for n = 1, name itself.
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
