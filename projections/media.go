package projections

import (
	"time"

	"moviola/domain/media"
	"moviola/eventstore"
)

// The statuses of a file of the media library. Spec: Media file.
const (
	MediaPending  = "pending"
	MediaUploaded = "uploaded"
)

// MediaFile is the read model of the file at one path of a library. Its id is the id of the path's stream.
type MediaFile struct {
	ID          string     `json:"id"`
	Account     string     `json:"account"`
	Folder      string     `json:"folder"` // path of the folder; empty: the root
	Name        string     `json:"name"`
	Type        string     `json:"type"` // kind of the file: image, video, audio or other
	ContentType string     `json:"content_type"`
	Size        int64      `json:"size"` // size of the file in bytes
	Status      string     `json:"status"`
	Entry       string     `json:"entry"`
	Blob        string     `json:"blob"` // blob key; empty while pending
	ExpiresAt   *time.Time `json:"expires_at"`
	CreatedAt   time.Time  `json:"created_at"`  // when the file was registered, or moved to this path
	UploadedAt  *time.Time `json:"uploaded_at"` // when its bytes had arrived; nil while pending

	Revision int64 `json:"revision"` // revision of the last event of the path's stream that was folded in
	Commit   int64 `json:"commit"`   // position in the log of the last event that was folded in
	Prepare  int64 `json:"prepare"`
}

// Live reports whether the file exists at a time: a registration ends when its upload address expires. Decision 44.
func (f MediaFile) Live(now time.Time) bool {
	return f.Status == MediaUploaded || f.Status == MediaPending && f.ExpiresAt != nil && now.Before(*f.ExpiresAt)
}

// Path returns the path of the file.
func (f MediaFile) Path() media.Path { return media.Path{Folder: f.Folder, Name: f.Name} }

// Position returns the position in the log of the last event of the file.
func (f MediaFile) Position() eventstore.Position { return positionOf(f.Commit, f.Prepare) }

// foldMediaFile applies one event of a path's stream. The result has an empty Status when the file does not exist after it.
func foldMediaFile(f MediaFile, e Event) MediaFile {
	switch d := e.Data.(type) {
	case media.FileRegistered:
		f = mediaFileOf(d.File)
		f.Status, f.ExpiresAt, f.CreatedAt = MediaPending, at(d.ExpiresAt), millis(d.At)
	case media.FileUploaded:
		f.Status, f.Blob, f.ExpiresAt, f.UploadedAt = MediaUploaded, d.Blob, nil, at(d.At)
	case media.FileMovedIn:
		f = mediaFileOf(d.File)
		f.Status, f.Blob, f.CreatedAt, f.UploadedAt = MediaUploaded, d.Blob, millis(d.At), at(d.UploadedAt)
	case media.FileMovedOut, media.FileDeleted:
		f.Status = ""
	}
	f.ID, f.Account = e.ID, string(media.AccountOf(e.ID))
	f.Revision = int64(e.Revision)
	f.Commit, f.Prepare = int64(e.Position.Commit), int64(e.Position.Prepare)
	return f
}

func mediaFileOf(f media.File) MediaFile {
	return MediaFile{
		Folder: f.Folder, Name: f.Name, Type: string(media.KindOf(f.ContentType)), ContentType: f.ContentType, Size: f.Size,
		Entry: f.Entry,
	}
}

// The indexes of media files, by the fields that they begin with.
const (
	indexMediaNames  = "names"    // files of an account and folder
	indexMediaTypes  = "types"    // files of an account, folder and type
	indexMediaStatus = "statuses" // files of an account, folder and status
	indexMediaBlobs  = "blobs"    // files stored under a blob key
)

// mediaModel has a document for every path with a file or a registration. A path may stay empty until its tombstone is
// swept, and then be used again. So documents are guarded by the position in the log, not by the revision.
type mediaModel struct{}

func (mediaModel) name() string     { return "media" }
func (mediaModel) listed() string   { return media.StreamCategory }
func (mediaModel) shape() int       { return 2 }
func (mediaModel) oldestShape() int { return 1 }
func (mediaModel) declare() []Index {
	return []Index{
		{Name: indexMediaNames, Fields: []Field{{Name: "account"}, {Name: "folder"}, {Name: "name"}}},
		{Name: indexMediaTypes, Fields: []Field{{Name: "account"}, {Name: "folder"}, {Name: "type"}, {Name: "name"}}},
		{Name: indexMediaStatus, Fields: []Field{{Name: "account"}, {Name: "folder"}, {Name: "status"}, {Name: "name"}}},
		{Name: indexMediaBlobs, Fields: []Field{{Name: "blob"}}},
	}
}
func (mediaModel) decode(body Body) (any, error) { return decodeAs[MediaFile](body) }

func (mediaModel) touched(e Event) []string {
	switch e.Data.(type) {
	case media.FileRegistered, media.FileUploaded, media.FileMovedIn, media.FileMovedOut, media.FileDeleted:
		return []string{e.ID}
	default:
		return nil
	}
}

func (mediaModel) apply(_ string, doc any, gone bool, e Event) (folded, error) {
	have, exists := doc.(MediaFile)
	if exists && e.Position.Compare(positionOf(have.Commit, have.Prepare)) <= 0 {
		return folded{doc: have, gone: gone}, nil
	}
	next := foldMediaFile(have, e)
	return folded{doc: next, gone: next.Status == "", changed: true}, nil
}

func positionOf(commit, prepare int64) eventstore.Position {
	return eventstore.Position{Commit: uint64(commit), Prepare: uint64(prepare)}
}
