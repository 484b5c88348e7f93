package media

import (
	"net/http"

	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/projections"
)

// The refusals of folders. Spec: Errors.
var (
	errFolder   = domain.Errorf(domain.Invalid, "folder_required", "folder is required")
	errRoot     = domain.Errorf(domain.Invalid, "folder_protected", "Cannot delete root folder")
	errTemp     = domain.Errorf(domain.Invalid, "folder_protected", "Cannot delete the temp folder")
	errNotEmpty = domain.Errorf(domain.Invalid, "folder_not_empty", "Folder is not empty. Delete all files first.")
	errNoFolder = domain.Errorf(domain.NotFound, "folder_not_found", "Folder not found")
)

const existsText = "Folder already exists"

// postFolder serves POST /media/folder.
func (a *API) postFolder(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := readPayload(w, r)
	if err != nil {
		return err
	}
	text, _ := body.text("folder")
	if text == "" {
		return errFolder
	}
	folder, err := media.FolderName(text)
	switch {
	case err != nil:
		return err
	case folder == "":
		return errFolderName
	case folder == media.Temp:
		return a.answer(w, r, eventstore.Position{}, done{Folder: folder, Message: existsText})
	}
	_, existed, err := a.cfg.Library.Folder(r.Context(), c.Account, folder)
	if err != nil {
		return err
	}
	// A folder that exists only because of its contents gets its marker here.
	created, at, err := a.cfg.Folders.Create(r.Context(), mediafiles.MediaFolder{Account: c.Account, Folder: folder})
	if err != nil {
		return err
	}
	d := done{Folder: folder}
	if existed || !created {
		d.Message = existsText
	}
	return a.answer(w, r, at, d)
}

// deleteFolder serves DELETE /media/folder.
func (a *API) deleteFolder(w http.ResponseWriter, r *http.Request, c access.Call) error {
	body, err := readDeletion(w, r, c, "folder")
	if err != nil {
		return err
	}
	text, ok := body.text("folder")
	if !ok {
		return errFolder
	}
	folder, err := media.FolderName(text)
	switch {
	case err != nil:
		return err
	case folder == "":
		return errRoot
	case folder == media.Temp:
		return errTemp
	}
	if err := a.checkEmpty(r, c, folder); err != nil {
		return err
	}
	deleted, at, err := a.cfg.Folders.Delete(r.Context(), mediafiles.MediaFolder{Account: c.Account, Folder: folder})
	switch {
	case err != nil:
		return err
	case !deleted:
		return errNoFolder
	}
	return a.answer(w, r, at, done{})
}

// checkEmpty refuses to delete a folder that does not exist, or that contains a file, a live registration or another folder.
func (a *API) checkEmpty(r *http.Request, c access.Call, folder string) error {
	found, ok, err := a.cfg.Library.Folder(r.Context(), c.Account, folder)
	if err != nil {
		return err
	}
	if !ok {
		return errNoFolder
	}
	waiting, err := a.cfg.Library.Registered(r.Context(), c.Account, folder)
	if err != nil {
		return err
	}
	own := found.Files + int64(len(waiting))
	if found.Marker {
		own++
	}
	if found.Files > 0 || a.live(waiting) > 0 || len(waiting) == projections.MaxPage || found.Below > own {
		return errNotEmpty
	}
	return nil
}

// live returns the number of files that are visible now.
func (a *API) live(files []projections.MediaFile) int {
	n := 0
	for _, f := range files {
		if f.Live(a.cfg.Now()) {
			n++
		}
	}
	return n
}
