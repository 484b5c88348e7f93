package projections

import (
	"strings"

	"moviola/domain/media"
)

// MediaFolder is the read model of one folder of a library. It exists while the folder, or a folder below it, contains
// a file, a registration or a marker. A marker shows that the folder was created explicitly.
type MediaFolder struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Path    string `json:"path"`   // path of the folder in lists; "/" is the root
	Parent  string `json:"parent"` // path of the parent folder; empty for the root
	Marker  bool   `json:"marker"` // the folder has a marker: it was created explicitly

	Files  int64 `json:"files"`  // number of uploaded files directly in the folder
	Size   int64 `json:"size"`   // total size of the uploaded files directly in the folder, in bytes
	Images int64 `json:"images"` // number of uploaded images directly in the folder
	Videos int64 `json:"videos"`
	Audios int64 `json:"audios"`
	Others int64 `json:"others"`

	// number of files, registrations and markers in the folder and below it, its own marker included
	Below     int64 `json:"below"`
	BelowSize int64 `json:"below_size"` // size of all files in the folder and below it, in bytes

	Commit  int64 `json:"commit"` // position in the log of the last event that was folded in
	Prepare int64 `json:"prepare"`
}

// Name is the last part of the folder's path.
func (f MediaFolder) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// Count returns how many uploaded files of a kind are directly in the folder; the empty kind means all.
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

// rootFolder is the path of the root in lists.
const rootFolder = "/"

// folderPath returns the path of a folder in lists.
func folderPath(folder string) string {
	if folder == "" {
		return rootFolder
	}
	return folder
}

func folderID(account, folder string) string { return account + " " + folderPath(folder) }

// folderChange is the effect of an event on its folder.
type folderChange struct {
	folder  string
	kind    media.Kind // kind of the file that was added or removed
	files   int64      // change of the number of uploaded files
	size    int64      // change of the total size of the uploaded files, in bytes
	entries int64      // change of the number of files, registrations and markers in the folder
	marker  *bool      // new value of MediaFolder.Marker: the folder was created explicitly; nil: unchanged
}

// changeOf returns the effect of an event on its folder, and false when it has none.
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
		if d.Blob == "" { // the deleted file was only registered
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

// The indexes of folders, by the fields that they begin with.
const (
	indexFolderChildren = "children" // folders of an account and a parent
	indexFolderPaths    = "paths"    // folders of an account
)

// folderModel has a document for every existing folder. Since a folder follows many streams, its documents are guarded by the
// position in the log.
type folderModel struct{}

func (folderModel) name() string     { return "media_folders" }
func (folderModel) listed() string   { return media.StreamCategory }
func (folderModel) shape() int       { return 2 }
func (folderModel) oldestShape() int { return 1 }
func (folderModel) declare() []Index {
	return []Index{
		{Name: indexFolderChildren, Fields: []Field{{Name: "account"}, {Name: "parent"}, {Name: "path"}}},
		{Name: indexFolderPaths, Fields: []Field{{Name: "account"}, {Name: "path"}}},
	}
}
func (folderModel) decode(body Body) (any, error) { return decodeAs[MediaFolder](body) }

// touched returns the folder of an event and all its parent folders.
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

// changed returns the folder after an event directly in it.
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
