package projections

import (
	"strings"

	"moviola/domain/media"
)

// MediaFolder is the read model of one folder of a library. A folder exists while a file or a marker is in it, or in a folder below.
type MediaFolder struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Path    string `json:"path"`   // "/" is the root
	Parent  string `json:"parent"` // the path of the folder in which it lies; empty for the root
	Marker  bool   `json:"marker"` // it was made by itself

	Files  int64 `json:"files"`  // uploaded files directly in it
	Size   int64 `json:"size"`   // their bytes
	Images int64 `json:"images"` // of these files
	Videos int64 `json:"videos"`
	Audios int64 `json:"audios"`
	Others int64 `json:"others"`

	Below     int64 `json:"below"`      // files, registrations and markers in it and below, its own marker included
	BelowSize int64 `json:"below_size"` // bytes of all files in it and below

	Commit  int64 `json:"commit"` // position in the log of the last event folded in
	Prepare int64 `json:"prepare"`
}

// Name is the last part of the folder's path.
func (f MediaFolder) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// Count is how many uploaded files of a kind lie directly in the folder; the empty kind stands for all.
func (f MediaFolder) Count(kind media.Kind) int64 {
	switch kind {
	case media.Image:
		return f.Images
	case media.Video:
		return f.Videos
	case media.Audio:
		return f.Audios
	case media.Other:
		return f.Others
	default:
		return f.Files
	}
}

// rootFolder is the path of the root as folders are listed.
const rootFolder = "/"

// folderPath is the path of a folder as it is listed.
func folderPath(folder string) string {
	if folder == "" {
		return rootFolder
	}
	return folder
}

func folderID(account, folder string) string { return account + " " + folderPath(folder) }

// folderChange is what an event does to the folder it happens in.
type folderChange struct {
	folder  string
	kind    media.Kind // of a file
	files   int64      // uploaded ones that come or go
	size    int64      // their bytes
	entries int64      // files, registrations and markers that come or go
	marker  *bool      // set: the marker comes or goes
}

// changeOf returns what an event does to its folder, and false when it does nothing to any.
func changeOf(e Event) (folderChange, bool) {
	yes, no := true, false
	switch d := e.Data.(type) {
	case media.FileRegistered:
		return folderChange{folder: d.Folder, entries: 1}, true
	case media.FileUploaded:
		return folderChange{folder: d.Folder, kind: media.KindOf(d.ContentType), files: 1, size: d.Size}, true
	case media.FileMovedIn:
		return folderChange{folder: d.Folder, kind: media.KindOf(d.ContentType), files: 1, size: d.Size, entries: 1}, true
	case media.FileMovedOut:
		return folderChange{folder: d.Folder, kind: media.KindOf(d.ContentType), files: -1, size: -d.Size, entries: -1}, true
	case media.FileDeleted:
		if d.Blob == "" { // a registration
			return folderChange{folder: d.Folder, entries: -1}, true
		}
		return folderChange{folder: d.Folder, kind: media.KindOf(d.ContentType), files: -1, size: -d.Size, entries: -1}, true
	case media.FolderCreated:
		return folderChange{folder: d.Folder, entries: 1, marker: &yes}, true
	case media.FolderDeleted:
		return folderChange{folder: d.Folder, entries: -1, marker: &no}, true
	default:
		return folderChange{}, false
	}
}

// The indexes of folders.
const (
	indexFolderChildren = "children" // of an account and a parent
	indexFolderPaths    = "paths"    // of an account
)

// folderModel has a document for every folder that exists, guarded by the position in the log: it follows many streams.
type folderModel struct{}

func (folderModel) name() string { return "media_folders" }
func (folderModel) shape() int   { return 1 }
func (folderModel) declare() []Index {
	return []Index{
		{Name: indexFolderChildren, Fields: []Field{{Name: "account"}, {Name: "parent"}, {Name: "path"}}},
		{Name: indexFolderPaths, Fields: []Field{{Name: "account"}, {Name: "path"}}},
	}
}
func (folderModel) decode(body Body) (any, error) { return decodeAs[MediaFolder](body) }

// touched names the folder in which an event happens, and all in which that lies.
func (folderModel) touched(e Event) []string {
	change, ok := changeOf(e)
	if !ok {
		return nil
	}
	var ids []string
	for _, folder := range (media.Path{Folder: change.folder}).Parents() {
		ids = append(ids, folderID(string(media.AccountOf(e.ID)), folder))
	}
	return ids
}

func (folderModel) apply(id string, doc any, gone bool, e Event) (folded, error) {
	have, exists := doc.(MediaFolder)
	if exists && e.Position.Compare(positionOf(have.Commit, have.Prepare)) <= 0 {
		return folded{doc: have, gone: gone}, nil
	}
	change, _ := changeOf(e)
	next := have
	if !exists || gone {
		next = newFolder(id, string(media.AccountOf(e.ID)))
	}
	next.Below += change.entries
	next.BelowSize += change.size
	if next.Path == folderPath(change.folder) {
		next = next.changed(change)
	}
	next.Commit, next.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
	return folded{doc: next, gone: next.Below == 0, changed: true}, nil
}

func newFolder(id, account string) MediaFolder {
	f := MediaFolder{ID: id, Account: account, Path: strings.TrimPrefix(id, account+" ")}
	if f.Path != rootFolder {
		f.Parent = folderPath(media.Parent(f.Path))
	}
	return f
}

// changed is the folder after an event directly in it.
func (f MediaFolder) changed(c folderChange) MediaFolder {
	f.Files += c.files
	f.Size += c.size
	if c.marker != nil {
		f.Marker = *c.marker
	}
	switch c.kind {
	case media.Image:
		f.Images += c.files
	case media.Video:
		f.Videos += c.files
	case media.Audio:
		f.Audios += c.files
	case media.Other:
		f.Others += c.files
	}
	return f
}
