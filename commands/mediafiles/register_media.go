package mediafiles

import (
	"context"
	"mime"
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
)

// RegisterMedia reserves a path of a media library for an upload. Spec: POST /media/file.
type RegisterMedia struct {
	Account     domain.AccountID
	Folder      string // name of the folder as the client gives it; empty: the root
	Name        string
	ContentType string
	Size        int64 // size in bytes
}

// RegisteredMedia is a reserved path. Entry is the id that the upload must name.
type RegisteredMedia struct {
	media.File
	ExpiresAt time.Time
	Position  eventstore.Position
}

// RegisterMediaHandler handles RegisterMedia.
type RegisterMediaHandler struct {
	places  places
	storage *Storage
	ttl     time.Duration
}

// NewRegisterMediaHandler returns a handler. An upload must begin within ttl.
func NewRegisterMediaHandler(
	log *eventstore.Log, storage *Storage, now func() time.Time, ttl time.Duration,
) RegisterMediaHandler {
	return RegisterMediaHandler{places: places{log, now}, storage: storage, ttl: ttl}
}

// Handle reserves the path. It refuses missing or invalid properties, and a name that is taken. The caller must have called Admit
// before. Spec: Errors.
func (h RegisterMediaHandler) Handle(ctx context.Context, cmd RegisterMedia) (RegisteredMedia, error) {
	file, err := newFile(cmd)
	if err != nil {
		return RegisteredMedia{}, err
	}
	registered := RegisteredMedia{File: file}
	d, err := h.places.decide(ctx, media.StreamID(cmd.Account, file.Path()),
		func(p *media.Place, at time.Time) ([]domain.Event, error) {
			registered.ExpiresAt = at.Add(h.ttl)
			return p.Register(file, registered.ExpiresAt, at)
		})
	registered.Position = d.Position
	return registered, err
}

// Admit refuses an account that is closed, or whose storage is blocked. It is called first, because the account's state is
// checked before the request's content. Decision 4.
func (h RegisterMediaHandler) Admit(ctx context.Context, account domain.AccountID) error {
	return h.storage.Require(ctx, account)
}

// newFile checks the client's description of a file. Spec: Errors, POST /media/file, in the order of its table.
func newFile(cmd RegisterMedia) (media.File, error) {
	path, err := media.FilePath(cmd.Folder, cmd.Name)
	if err != nil {
		return media.File{}, err
	}
	contentType, err := contentTypeOf(cmd.ContentType)
	switch {
	case err != nil:
		return media.File{}, err
	case cmd.Size <= 0:
		return media.File{}, domain.Errorf(domain.Invalid, "size_invalid", "size is required and must be a positive number")
	case cmd.Size > media.MaxSize:
		return media.File{}, domain.Errorf(domain.TooLarge, "file_too_large", "File exceeds maximum size of 500 MB")
	}
	return media.File{Folder: path.Folder, Name: path.Name, Entry: NewEntry(), ContentType: contentType, Size: cmd.Size}, nil
}

// maxContentType is the maximum length of a MIME type, in bytes.
const maxContentType = 200

// contentTypeOf checks a MIME type and returns it as given, but without blanks at its ends. The upload must send the same
// text.
func contentTypeOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", domain.Errorf(domain.Invalid, "content_type_required", "contentType is required")
	}
	kind, _, err := mime.ParseMediaType(text)
	if err != nil || !strings.Contains(kind, "/") || len(text) > maxContentType || strings.ContainsFunc(text, notHeader) {
		return "", domain.Errorf(domain.Invalid, "content_type_invalid", "contentType must be a MIME type such as image/png")
	}
	return text, nil
}

// notHeader reports whether a character is not allowed in an HTTP header.
func notHeader(r rune) bool { return r < ' ' || r > '~' }
