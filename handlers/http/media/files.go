package media

import (
	"context"
	"errors"
	"net/http"
	"time"

	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// registered is the answer of POST /media/file.
type registered struct {
	Success   bool   `json:"success"`
	UploadURL string `json:"uploadUrl"`
	FileURL   string `json:"fileUrl"`
	ExpiresIn int64  `json:"expiresIn"` // time until the upload address expires, in seconds
	Timestamp string `json:"timestamp"`
}

// roomFor refuses a file when the account has no room for it. It accepts impossible sizes, which the command refuses later.
func (a *API) roomFor(r *http.Request, c access.Call, size int64) error {
	if a.cfg.Fits == nil || size <= 0 || size > media.MaxSize {
		return nil
	}
	return a.cfg.Fits(r.Context(), string(c.Account), size)
}

// undoTime is the time limit for removing a registration that got no address.
const undoTime = 5 * time.Second

// postFile serves POST /media/file.
func (a *API) postFile(w http.ResponseWriter, r *http.Request, c access.Call) error {
	if err := a.cfg.Register.Admit(r.Context(), c.Account); err != nil {
		return err
	}
	body, err := readPayload(w, r)
	if err != nil {
		return err
	}
	name, _ := body.text("name")
	contentType, _ := body.text("contentType")
	folder, err := body.folder("folder")
	if err != nil {
		return err
	}
	if err := a.roomFor(r, c, body.whole("size")); err != nil {
		return err
	}
	file, err := a.cfg.Register.Handle(r.Context(), mediafiles.RegisterMedia{
		Account: c.Account, Folder: folder, Name: name, ContentType: contentType, Size: body.whole("size"),
	})
	if err != nil {
		return err
	}
	address, err := a.uploadAddress(r, c.Account, file)
	if err != nil { // without an address nobody can upload, so the name must not stay taken
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), undoTime)
		defer cancel()
		_, undone := a.cfg.Delete.Handle(ctx, mediafiles.DeleteMedia{Account: c.Account, Path: file.Path(), Pending: file.Entry})
		return errors.Join(err, undone)
	}
	web.Await(r.Context(), a.cfg.Projected, file.Position)
	return web.Write(w, http.StatusOK, registered{
		Success: true, UploadURL: address, FileURL: a.cfg.Addresses.File(c.Account, file.Path()),
		ExpiresIn: int64(a.cfg.UploadTTL / time.Second), Timestamp: web.Stamp(a.cfg.Now()),
	})
}

// filePathOf reads the folder and the name of a file from a body.
func filePathOf(body payload) (media.Path, error) {
	name, _ := body.text("name")
	folder, err := body.folder("folder")
	if err != nil {
		return media.Path{}, err
	}
	return media.FilePath(folder, name)
}

// putFile serves PUT /media/file, which moves a file.
func (a *API) putFile(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := readPayload(w, r)
	if err != nil {
		return err
	}
	from, err := filePathOf(body)
	if err != nil {
		return err
	}
	destination, ok := body.text("destination")
	if !ok {
		return domain.Errorf(domain.Invalid, "destination_required", "destination is required")
	}
	folder, err := media.FolderName(destination)
	if err != nil {
		return err
	}
	at, err := a.cfg.Move.Handle(r.Context(), mediafiles.MoveMedia{Account: c.Account, From: from, Folder: folder})
	if err != nil {
		return err
	}
	return a.answer(w, r, at, done{FileURL: a.cfg.Addresses.File(c.Account, media.Path{Folder: folder, Name: from.Name})})
}

// deleteFile serves DELETE /media/file.
func (a *API) deleteFile(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := readDeletion(w, r, c, "name", "folder")
	if err != nil {
		return err
	}
	path, err := filePathOf(body)
	if err != nil {
		return err
	}
	return a.remove(w, r, c, path)
}

// deletePath serves DELETE /media.
func (a *API) deletePath(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := readDeletion(w, r, c, "path")
	if err != nil {
		return err
	}
	text, _ := body.text("path")
	path, err := media.ParsePath(text)
	if err != nil {
		return err
	}
	return a.remove(w, r, c, path)
}

func (a *API) remove(w http.ResponseWriter, r *http.Request, c access.Call, path media.Path) error {
	at, err := a.cfg.Delete.Handle(r.Context(), mediafiles.DeleteMedia{Account: c.Account, Path: path})
	if err != nil {
		return err
	}
	return a.answer(w, r, at, done{})
}

// fileView is a file in an answer. url and fileUrl have the same value.
type fileView struct {
	Name        string  `json:"name"`
	Folder      string  `json:"folder"`
	Type        string  `json:"type"`
	ContentType string  `json:"contentType"`
	Size        int64   `json:"size"`
	URL         string  `json:"url"`
	FileURL     string  `json:"fileUrl"`
	Status      string  `json:"status"`
	Temporary   bool    `json:"temporary"`
	CreatedAt   string  `json:"created_at"`
	UploadedAt  *string `json:"uploaded_at"`
}

func (a *API) view(f projections.MediaFile) fileView {
	address := a.cfg.Addresses.File(domain.AccountID(f.Account), f.Path())
	return fileView{
		Name: f.Name, Folder: f.Folder, Type: f.Type, ContentType: f.ContentType, Size: f.Size, URL: address, FileURL: address,
		Status: f.Status, Temporary: f.Path().Temporary(), CreatedAt: web.Stamp(f.CreatedAt), UploadedAt: web.StampOrNull(f.UploadedAt),
	}
}

// getFile serves GET /media/file.
func (a *API) getFile(w http.ResponseWriter, r *http.Request, c access.Call) error {
	text, ok := c.One("path")
	if !ok {
		return domain.Errorf(domain.Invalid, "path_ambiguous", "The parameter path is given twice, with different values")
	}
	path, err := media.ParsePath(text)
	if err != nil {
		return err
	}
	file, found, err := a.cfg.Library.File(r.Context(), c.Account, path)
	switch {
	case err != nil:
		return err
	case !found || !file.Live(a.cfg.Now()):
		return media.ErrNotFound
	}
	return web.Write(w, http.StatusOK, struct {
		Success   bool     `json:"success"`
		File      fileView `json:"file"`
		Timestamp string   `json:"timestamp"`
	}{true, a.view(file), web.Stamp(a.cfg.Now())})
}
