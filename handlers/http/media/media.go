// Package media serves the media libraries of accounts: files are registered, uploaded to presigned addresses, listed, moved and
// deleted. Spec: Media file; decisions 43 to 45. A handler parses, calls one command or query and writes what came of it.
package media

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/domain/media"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/internal/fair"
	"moviola/projections"
)

// Library answers what is in the libraries. File is never older than its path's stream, lists may trail.
type Library interface {
	File(ctx context.Context, account domain.AccountID, path media.Path) (projections.MediaFile, bool, error)
	Folder(ctx context.Context, account domain.AccountID, folder string) (projections.MediaFolder, bool, error)
	Files(ctx context.Context, account domain.AccountID, folder string, kind media.Kind, after string,
		limit int) ([]projections.MediaFile, error)
	Registered(ctx context.Context, account domain.AccountID, folder string) ([]projections.MediaFile, error)
	Folders(ctx context.Context, account domain.AccountID, folder, after string, limit int) ([]projections.MediaFolder, error)
	Tree(ctx context.Context, account domain.AccountID, after string, limit int) ([]projections.MediaFolder, error)
}

// Gate tells whom a call may act for.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Storage tells since when an account's storage is blocked; nil: it is not. Decision 39.
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

// Presign returns an address of the storage itself to which the bytes of an entry can be sent; empty: they are sent to this
// service.
type Presign func(ctx context.Context, place string, file media.File, ttl time.Duration) (string, error)

// Config is what an API needs. Every field is required, but for those that say what they are when left out.
type Config struct {
	Library   Library
	Gate      Gate
	Storage   Storage
	Register  Registrar
	Upload    Uploader
	Move      Mover
	Delete    Deleter
	Folders   Folders
	Addresses *media.Addresses
	Presign   Presign      // nil: uploads come to this service
	Room      func() error // whether files may come in now; nil: always
	// Fits refuses a file for which an account has no room; nil: there is always some.
	Fits func(ctx context.Context, account string, size int64) error
	// Uploads is the budget of the bytes of uploads that are under way, for which accounts take turns; nil: none. Each takes what
	// it is long, and leastUpload at least.
	Uploads   *fair.Budget
	Projected web.Projected
	// PublicURL is the base of the addresses that files are uploaded to. Decision 8.
	PublicURL string
	// CursorKey signs the cursors of lists, UploadKey the addresses for uploads: at least 16 bytes each, the same in every process.
	CursorKey, UploadKey []byte
	UploadTTL            time.Duration // an upload must begin within it. Spec: Limits. Default: 120 seconds
	CORSOrigins          []string      // whose pages may upload
	Now                  func() time.Time
	Log                  logrus.FieldLogger
}

// API serves the libraries. It is safe for concurrent use.
type API struct {
	cfg     Config
	lists   web.Lists[listing]
	trees   web.Lists[treeQuery]
	tickets web.Cursors

	stopping context.Context // ends with Stop
	stop     context.CancelFunc
}

// New returns an API, or an error that names everything the configuration lacks.
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

// Stop ends the uploads that are under way, and every later one, with 503: their addresses can be used again. An HTTP server
// waits for its answers when it shuts down: call Stop then.
func (a *API) Stop() { a.stop() }

// Paths of the interface.
const (
	mediaPath  = "/v2/media"
	filePath   = mediaPath + "/file"
	folderPath = mediaPath + "/folder"
	// uploadPath is followed by a ticket. It has as many parts as no address of a stored file has.
	uploadPath = mediaPath + "/upload/"
)

// Operations are all that needs a key. Spec: Endpoints; decision 43; roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	read := func(path string, serve access.Endpoint, query ...string) access.Operation {
		return access.Operation{
			Method: http.MethodGet, Path: path, Role: key.Viewer, Query: append(query, "account"),
			Headers: []string{web.OperatorTokenHeader}, Serve: a.actFor(serve),
		}
	}
	write := func(method, path string, serve access.Endpoint, query ...string) access.Operation {
		return access.Operation{Method: method, Path: path, Role: key.Render, Query: query, Serve: serve}
	}
	return []access.Operation{
		read(mediaPath, a.getMedia, listParameters...),
		write(http.MethodDelete, mediaPath, a.deletePath, "path"),
		read(filePath, a.getFile, "path"),
		write(http.MethodPost, filePath, a.postFile),
		write(http.MethodPut, filePath, a.putFile),
		write(http.MethodDelete, filePath, a.deleteFile, "name", "folder"),
		read(folderPath, a.getFolder, append([]string{"tree"}, listParameters...)...),
		write(http.MethodPost, folderPath, a.postFolder),
		write(http.MethodDelete, folderPath, a.deleteFolder, "folder"),
	}
}

// Routes registers what needs no key: the addresses for uploads.
func (a *API) Routes(router *mux.Router) {
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: a.cfg.CORSOrigins}.Middleware)
	shared.Handle(uploadPath+"{ticket}", web.Methods{http.MethodPut: a.putUpload})
}

// actFor lets an operator see what an account sees.
func (a *API) actFor(serve access.Endpoint) access.Endpoint {
	return func(w http.ResponseWriter, r *http.Request, c access.Call) error {
		c, err := a.cfg.Gate.ActFor(r, c)
		if err != nil {
			return err
		}
		return serve(w, r, c)
	}
}

// done is the answer of what changed something.
type done struct {
	Success   bool   `json:"success"`
	FileURL   string `json:"fileUrl,omitempty"`
	Folder    string `json:"folder,omitempty"`
	Message   string `json:"message,omitempty"`
	Timestamp string `json:"timestamp"`
}

// answer waits until what was done can be seen, and says so.
func (a *API) answer(w http.ResponseWriter, r *http.Request, at eventstore.Position, d done) error {
	web.Await(r.Context(), a.cfg.Projected, at)
	d.Success, d.Timestamp = true, web.Stamp(a.cfg.Now())
	return web.Write(w, http.StatusOK, d)
}
