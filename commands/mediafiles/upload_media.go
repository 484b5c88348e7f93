package mediafiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/media"
	"moviola/eventstore"
)

// UploadMedia stores the bytes of a registered file.
type UploadMedia struct {
	Place string // id of the stream that the file's path in the media library has
	Entry string // id of the file's registration (POST /media/file), by which the client announced the upload
	Size  int64  // exact number of bytes that Body must have
	Body  io.Reader
}

// UploadMediaHandler handles UploadMedia.
type UploadMediaHandler struct {
	places  places
	files   commands.Files
	storage *Storage
}

// NewUploadMediaHandler returns a handler.
func NewUploadMediaHandler(log *eventstore.Log, files commands.Files, storage *Storage, now func() time.Time) UploadMediaHandler {
	return UploadMediaHandler{places: places{log, now}, files: files, storage: storage}
}

// Begin checks that a registration with the id entry waits for an upload. It refuses an upload that begins after the registration
// has expired, or while the account's storage is blocked. Decisions 39 and 44.
func (h UploadMediaHandler) Begin(ctx context.Context, place, entry string) (media.File, error) {
	if err := h.storage.Require(ctx, media.AccountOf(place)); err != nil {
		return media.File{}, err
	}
	p, err := h.places.load(ctx, place)
	if err != nil {
		return media.File{}, err
	}
	now := h.places.now.Stamp()
	return p.Expects(entry, func(until time.Time) bool { return !now.Before(until) })
}

// ErrBodyLength says that the body of an upload had fewer or more bytes than were announced.
var ErrBodyLength = domain.Errorf(domain.Invalid, "upload_length_mismatch",
	"The body is not as long as the file that was registered")

// Handle stores the bytes under a new key and then appends the event that makes the file visible. So no partial file is ever
// visible. Of several concurrent uploads one is accepted, and the bytes of the others are removed. The caller must have called
// Begin before.
func (h UploadMediaHandler) Handle(ctx context.Context, cmd UploadMedia) (eventstore.Position, error) {
	key := blobkey.MediaFile(media.AccountOf(cmd.Place), cmd.Entry, NewEntry())
	if err := h.files.Put(ctx, key, &exactly{r: cmd.Body, left: cmd.Size}); err != nil {
		return eventstore.Position{}, fmt.Errorf("store an upload of media path %s: %w", cmd.Place, err)
	}
	d, err := h.places.decide(ctx, cmd.Place, func(p *media.Place, at time.Time) ([]domain.Event, error) {
		return p.Upload(cmd.Entry, key, at)
	})
	var refusal *domain.Error
	// After a refusal no event names the bytes, so they are removed. After any other error the event may have been stored: the
	// bytes stay, and the daily chore removes them when no event names them.
	if errors.As(err, &refusal) {
		err = errors.Join(err, h.files.Delete(context.WithoutCancel(ctx), key))
	}
	return d.Position, err
}

// exactly is a reader of a fixed number of bytes. It fails when the body has fewer or more.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, e.end()
	}
	if int64(len(p)) > e.left {
		p = p[:e.left]
	}
	n, err := e.r.Read(p)
	e.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && e.left > 0, errors.Is(err, io.ErrUnexpectedEOF):
		return n, ErrBodyLength
	case errors.Is(err, io.EOF):
		return n, nil // the next Read calls end, which checks that no more bytes follow
	}
	return n, err
}

// end checks that no more bytes follow.
func (e *exactly) end() error {
	var more [1]byte
	switch n, err := io.ReadFull(e.r, more[:]); {
	case n > 0:
		return ErrBodyLength
	default:
		return err // io.EOF: the body ends here, as announced
	}
}
