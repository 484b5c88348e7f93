package media

import (
	"strconv"
	"time"
)

// File holds the properties of a file that do not change as long as the file is at its path. Every event that
// adds or removes a file contains all of them, so that a reader can count and add up from single events.
type File struct {
	Folder      string `json:"folder,omitempty" personal:"yes"`
	Name        string `json:"name" personal:"yes"`
	Entry       string `json:"entry" personal:"no"` // random id of the file's stay at this path, until it is moved or deleted
	ContentType string `json:"content_type" personal:"no"`
	Size        int64  `json:"size"` // size of the file in bytes
}

// Path returns the path at which the file is.
func (f File) Path() Path { return Path{Folder: f.Folder, Name: f.Name} }

// FileRegistered reserves a path for an upload that must arrive before a time.
type FileRegistered struct {
	File
	ExpiresAt time.Time `json:"expires_at"`
	At        time.Time `json:"at"`
}

// FileUploaded records that the bytes of the file are stored.
type FileUploaded struct {
	File
	Blob string    `json:"blob" personal:"no"` // key of the stored bytes
	At   time.Time `json:"at"`
}

// FileMoveStarted begins a move of the file to another path. Until the move ends or is aborted, the file cannot be changed.
type FileMoveStarted struct {
	Move     string    `json:"move" personal:"no"` // random id of the move; the file has it as its Entry at the new path
	ToFolder string    `json:"to_folder,omitempty" personal:"yes"`
	ToName   string    `json:"to_name" personal:"yes"`
	At       time.Time `json:"at"`
}

// FileMovedIn records at the new path that a moved file has arrived. The file's Entry is the id of the move.
type FileMovedIn struct {
	File
	Blob       string    `json:"blob" personal:"no"`
	FromFolder string    `json:"from_folder,omitempty" personal:"yes"`
	FromName   string    `json:"from_name" personal:"yes"`
	UploadedAt time.Time `json:"uploaded_at"`
	At         time.Time `json:"at"`
}

// FileMovedOut records at the old path that the file was moved away.
type FileMovedOut struct {
	File
	Move string    `json:"move" personal:"no"`
	At   time.Time `json:"at"`
}

// FileMoveAborted ends a move because the new path was taken: the file stays at the old path.
type FileMoveAborted struct {
	Move string    `json:"move" personal:"no"`
	At   time.Time `json:"at"`
}

// Reason is why a file or a registration was removed.
type Reason string

// The reasons for which files and registrations are removed.
const (
	ByUser  Reason = "user"
	Expired Reason = "expired" // a temporary file whose retention has passed
	Lapsed  Reason = "lapsed"  // a registration whose upload did not arrive in time
	Purged  Reason = "purged"  // 30 days without credits (decision 39)
	Closed  Reason = "closed"  // the account was closed
)

// FileDeleted removes a file or a registration. Blob is empty for a registration.
type FileDeleted struct {
	File
	Blob   string    `json:"blob,omitempty" personal:"no"`
	Reason Reason    `json:"reason"`
	At     time.Time `json:"at"`
}

// FolderCreated puts a marker at a path, so that a folder without files exists.
type FolderCreated struct {
	Folder string    `json:"folder" personal:"yes"`
	Number int       `json:"number"` // number of the creation: 1, 2, ...; a deleted folder may be created again
	At     time.Time `json:"at"`
}

// FolderDeleted removes the marker of a folder.
type FolderDeleted struct {
	Folder string    `json:"folder" personal:"yes"`
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

// EventKey distinguishes the event from others of its type in the same stream. Two uploads for one registration have
// different blob keys.
func (e FileRegistered) EventKey() string  { return e.Entry }
func (e FileUploaded) EventKey() string    { return e.Blob }
func (e FileMoveStarted) EventKey() string { return e.Move }
func (e FileMovedIn) EventKey() string     { return e.Entry }
func (e FileMovedOut) EventKey() string    { return e.Move }
func (e FileMoveAborted) EventKey() string { return e.Move }
func (e FileDeleted) EventKey() string     { return e.Entry }
func (e FolderCreated) EventKey() string   { return strconv.Itoa(e.Number) }
func (e FolderDeleted) EventKey() string   { return strconv.Itoa(e.Number) }
