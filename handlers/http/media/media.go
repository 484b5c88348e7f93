// Package media serves the media libraries of accounts: files are registered, uploaded to presigned addresses, listed, moved and
// deleted. Spec: Media file; decisions 43 to 45. A handler parses the request, calls one command or query and writes its result.
package media

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/internal/fair"
	"moviola/projections"
)

// MediaReader reads media libraries. What File returns includes every event of the stream of the path; lists may lag behind it.
type MediaReader interface {
	File(ctx context.Context, account domain.AccountID, path media.Path) (projections.MediaFile, bool, error)
	Folder(ctx context.Context, account domain.AccountID, folder string) (projections.MediaFolder, bool, error)
	Files(ctx context.Context, account domain.AccountID, folder string, kind media.Kind, after string,
		limit int) ([]projections.MediaFile, error)
	Registered(ctx context.Context, account domain.AccountID, folder string) ([]projections.MediaFile, error)
	Folders(ctx context.Context, account domain.AccountID, folder, after string, limit int) ([]projections.MediaFolder, error)
	Tree(ctx context.Context, account domain.AccountID, after string, limit int) ([]projections.MediaFolder, error)
}

// Gate determines for which account a call acts.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Storage reports whether an account's storage is blocked, and since when. The time is nil when the storage is not blocked, or
// when the account never had credits. Decision 39.
type Storage func(ctx context.Context, account domain.AccountID) (*time.Time, bool, error)

// Registrar is the command behind POST /media/file.
type Registrar interface {
	Admit(ctx context.Context, account domain.AccountID) error
	Handle(ctx context.Context, cmd mediafiles.RegisterMedia) (mediafiles.RegisteredMedia, error)
}

// Uploader is the command behind the presigned address.
type Uploader interface {
	Begin(ctx context.Context, place, entry string) (media.File, error)
	Handle(ctx context.Context, cmd mediafiles.UploadMedia) (eventstore.Position, error)
}

// Mover is the command behind PUT /media/file.
type Mover interface {
	Handle(ctx context.Context, cmd mediafiles.MoveMedia) (eventstore.Position, error)
}

// Deleter is the command behind DELETE /media/file and DELETE /media.
type Deleter interface {
	Handle(ctx context.Context, cmd mediafiles.DeleteMedia) (eventstore.Position, error)
}

// Folders are the commands behind POST and DELETE /media/folder.
type Folders interface {
	Create(ctx context.Context, cmd mediafiles.MediaFolder) (bool, eventstore.Position, error)
	Delete(ctx context.Context, cmd mediafiles.MediaFolder) (bool, eventstore.Position, error)
}

// Presign returns an address of the storage, to which the client sends the bytes of a registered file directly; empty: the client
// sends the bytes to this service.
type Presign func(ctx context.Context, place string, file media.File, ttl time.Duration) (string, error)

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Library   MediaReader
	Gate      Gate
	Storage   Storage
	Register  Registrar
	Upload    Uploader
	Move      Mover
	Delete    Deleter
	Folders   Folders
	Addresses *media.Addresses
	Presign   Presign      // nil: clients upload to this service only
	Room      func() error // refuses uploads while the disk is nearly full; nil: no upload is refused for that
	// Fits refuses a file when the account has no room for it; nil: no file is refused for that.
	Fits func(ctx context.Context, account string, size int64) error
	// Uploads limits the total size of concurrent uploads, in bytes; accounts take turns. Each upload counts with its length, but at
	// least with leastUpload. nil: no limit.
	Uploads   *fair.Budget
	Projected web.Projected
	// PublicURL is the base of the upload addresses. Decision 8.
	PublicURL string
	// CursorKey signs the cursors of lists; UploadKey signs the upload addresses. Each has at least 16 bytes, the same in
	// every process.
	CursorKey, UploadKey []byte
	UploadTTL            time.Duration // time within which an upload must begin. Spec: Limits. Default: 120 seconds
	CORSOrigins          []string      // origins whose pages may upload; empty: only this service's own
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	Log logrus.FieldLogger
}

// API serves the media libraries. It is safe for concurrent use.
type API struct {
	cfg     Config
	lists   web.Lists[listing]
	trees   web.Lists[treeQuery]
	tickets web.Cursors

	stopping context.Context // context of all uploads; Stop cancels it
	stop     context.CancelFunc
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Presign", "Room", "Fits", "Uploads", "UploadTTL", "CORSOrigins", "Now"); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.UploadTTL <= 0 {
		cfg.UploadTTL = 120 * time.Second
	}
	a := &API{
		cfg: cfg, lists: web.NewLists[listing](cfg.CursorKey, "media-cursor"),
		trees:   web.NewLists[treeQuery](cfg.CursorKey, "media-cursor"),
		tickets: web.NewCursors(cfg.UploadKey, "media-upload PUT"),
	}
	a.stopping, a.stop = context.WithCancel(context.Background())
	return a, nil
}

// Stop ends running and later uploads with 503; clients can use the addresses again. An HTTP server waits for running
// requests when it shuts down, so the caller calls Stop first.
func (a *API) Stop() { a.stop() }

// uploadPath is the beginning of an upload address; a ticket follows. The number of path segments of an upload
// address differs from that of every stored file's address.
const uploadPath = "/v2/media/upload/"

// Operations returns the operations that need an API key. Spec: Endpoints; decision 43; roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: getMedia, Serve: a.actFor(a.getMedia)},
		{Operation: deleteMedia, Serve: a.deletePath},
		{Operation: getMediaFile, Serve: a.actFor(a.getFile)},
		{Operation: registerMediaFile, Serve: a.postFile},
		{Operation: moveMediaFile, Serve: a.putFile},
		{Operation: deleteMediaFile, Serve: a.deleteFile},
		{Operation: listMedia, Serve: a.actFor(a.getFolder)},
		{Operation: createMediaFolder, Serve: a.postFolder},
		{Operation: deleteMediaFolder, Serve: a.deleteFolder},
	}
}

// Routes registers the upload addresses, which need no API key.
func (a *API) Routes(router *mux.Router) {
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: a.cfg.CORSOrigins}.Middleware)
	operation.Register(shared, []operation.Route{{Operation: uploadMediaFile, Serve: a.putUpload}})
}

// actFor lets an operator read another account's library.
func (a *API) actFor(serve access.Endpoint) access.Endpoint {
	return func(w http.ResponseWriter, r *http.Request, c access.Call) error {
		c, err := a.cfg.Gate.ActFor(r, c)
		if err != nil {
			return err
		}
		return serve(w, r, c)
	}
}

// done is the answer to a request that has changed a media library.
type done struct {
	Success   bool   `json:"success"`
	FileURL   string `json:"fileUrl,omitempty"`
	Folder    string `json:"folder,omitempty"`
	Message   string `json:"message,omitempty"`
	Timestamp string `json:"timestamp"`
}

// answer waits up to a second until the change is visible in the read models, and then answers.
func (a *API) answer(w http.ResponseWriter, r *http.Request, at eventstore.Position, d done) error {
	web.Await(r.Context(), a.cfg.Projected, at)
	d.Success, d.Timestamp = true, web.Stamp(a.cfg.Now())
	return web.Write(w, http.StatusOK, d)
}
