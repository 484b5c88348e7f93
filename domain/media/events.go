package media

import (
	"strconv"
	"time"
)

// File says of a file what does not change while it lies at its path. Events carry it whole, so that counts can be made from each of
// them alone.
type File struct {
	Folder      string `json:"folder,omitempty"`
	Name        string `json:"name"`
	Entry       string `json:"entry"` // tells one stay at the path from the others: drawn at random
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"` // bytes
}

// Path is where the file lies.
func (f File) Path() Path { return Path{Folder: f.Folder, Name: f.Name} }

// FileRegistered reserves a path for bytes that are to come before a time.
type FileRegistered struct {
	File
	ExpiresAt time.Time `json:"expires_at"`
	At        time.Time `json:"at"`
}

// FileUploaded says that the bytes are there.
type FileUploaded struct {
	File
	Blob string    `json:"blob"` // key of the stored bytes
	At   time.Time `json:"at"`
}

// FileMoveStarted announces that the file is going elsewhere. Until it has gone, or the move is aborted, nothing else happens to it.
type FileMoveStarted struct {
	Move     string    `json:"move"` // drawn at random; the entry at the destination
	ToFolder string    `json:"to_folder,omitempty"`
	ToName   string    `json:"to_name"`
	At       time.Time `json:"at"`
}

// FileMovedIn is the arrival of a file at the destination of a move, which is its Entry.
type FileMovedIn struct {
	File
	Blob       string    `json:"blob"`
	FromFolder string    `json:"from_folder,omitempty"`
	FromName   string    `json:"from_name"`
	UploadedAt time.Time `json:"uploaded_at"`
	At         time.Time `json:"at"`
}

// FileMovedOut ends a move at its source.
type FileMovedOut struct {
	File
	Move string    `json:"move"`
	At   time.Time `json:"at"`
}

// FileMoveAborted ends a move whose destination was taken: the file stays.
type FileMoveAborted struct {
	Move string    `json:"move"`
	At   time.Time `json:"at"`
}

// Reason is why a file is gone.
type Reason string

// The reasons.
const (
	ByUser  Reason = "user"
	Expired Reason = "expired" // a temporary file whose time has come
	Lapsed  Reason = "lapsed"  // a registration whose bytes never came
	Purged  Reason = "purged"  // 30 days without credits (decision 39)
	Closed  Reason = "closed"  // the account was closed
)

// FileDeleted ends a file, or a registration. Blob is empty for the latter.
type FileDeleted struct {
	File
	Blob   string    `json:"blob,omitempty"`
	Reason Reason    `json:"reason"`
	At     time.Time `json:"at"`
}

// FolderCreated puts a marker where a folder is to exist although no file is in it.
type FolderCreated struct {
	Folder string    `json:"folder"`
	Number int       `json:"number"` // 1, 2, ...: folders may be made again
	At     time.Time `json:"at"`
}

// FolderDeleted takes the marker away.
type FolderDeleted struct {
	Folder string    `json:"folder"`
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

// EventType is the persisted name.
func (FileRegistered) EventType() string  { return "MediaFileRegistered" }
func (FileUploaded) EventType() string    { return "MediaFileUploaded" }
func (FileMoveStarted) EventType() string { return "MediaFileMoveStarted" }
func (FileMovedIn) EventType() string     { return "MediaFileMovedIn" }
func (FileMovedOut) EventType() string    { return "MediaFileMovedOut" }
func (FileMoveAborted) EventType() string { return "MediaFileMoveAborted" }
func (FileDeleted) EventType() string     { return "MediaFileDeleted" }
func (FolderCreated) EventType() string   { return "MediaFolderCreated" }
func (FolderDeleted) EventType() string   { return "MediaFolderDeleted" }

// EventKey tells the event from others of its type in the same stream. Two uploads of one registration differ by their bytes.
func (e FileRegistered) EventKey() string  { return e.Entry }
func (e FileUploaded) EventKey() string    { return e.Blob }
func (e FileMoveStarted) EventKey() string { return e.Move }
func (e FileMovedIn) EventKey() string     { return e.Entry }
func (e FileMovedOut) EventKey() string    { return e.Move }
func (e FileMoveAborted) EventKey() string { return e.Move }
func (e FileDeleted) EventKey() string     { return e.Entry }
func (e FolderCreated) EventKey() string   { return strconv.Itoa(e.Number) }
func (e FolderDeleted) EventKey() string   { return strconv.Itoa(e.Number) }
