package media

import (
	"errors"
	"time"

	"moviola/domain"
)

// The refusals of the media library. Spec: Errors, media.
var (
	ErrNotFound = domain.Errorf(domain.NotFound, "file_not_found", "File not found")
	ErrExists   = domain.Errorf(domain.Conflict, "file_exists", "A file with this name already exists. Delete it first.")
	ErrTaken    = domain.Errorf(domain.Conflict, "file_exists", "A file with this name already exists in the destination folder")
	ErrMoving   = domain.Errorf(domain.Conflict, "file_moving", "The file is just being moved. Try again in a moment.")
	ErrUsed     = domain.Errorf(domain.Conflict, "upload_used", "This upload address has been used. Register the file again "+
		"to upload other bytes.")
	ErrGone = domain.Errorf(domain.Conflict, "upload_superseded", "The file is no longer registered. Register it again "+
		"to upload it.")
	ErrLate = domain.Errorf(domain.Forbidden, "upload_expired", "This upload address has expired. Register the file again.")
)

// ErrNoMove says that this path has no move with the given id, or that the move has ended.
var ErrNoMove = errors.New("the move is not under way")

// UploadTime is the longest time that one upload may take. An expired registration is kept for this time, for an upload that
// began before it expired. Decision 44.
const UploadTime = 6 * time.Hour

// Place is one path of an account's library: the file at the path, or the marker of a folder.
type Place struct {
	file       *File // nil: the path has no file and no registration
	blob       string
	expiresAt  time.Time // when a registration expires
	uploadedAt time.Time
	arrivedAt  time.Time // when the file came to this path
	move       *FileMoveStarted
	arrived    map[string]bool // ids of all moves that have brought a file to this path
	marker     bool            // the path has a marker, which makes a folder exist
	folder     string          // the folder that exists because of the marker at this path
	folders    int             // number of times that a folder was created at this path
}

// NewPlace returns a path without events.
func NewPlace() *Place { return &Place{arrived: make(map[string]bool)} }

// Apply folds one event of the path's stream.
func (p *Place) Apply(event domain.Event) {
	switch e := event.(type) {
	case FileRegistered:
		p.file, p.blob, p.expiresAt = &e.File, "", e.ExpiresAt
	case FileUploaded:
		p.file, p.blob, p.uploadedAt, p.arrivedAt = &e.File, e.Blob, e.At, e.At
	case FileMovedIn:
		p.file, p.blob, p.uploadedAt, p.arrivedAt = &e.File, e.Blob, e.UploadedAt, e.At
		p.arrived[e.Entry] = true
	case FileMoveStarted:
		p.move = &e
	case FileMoveAborted:
		p.move = nil
	case FileMovedOut, FileDeleted:
		p.file, p.blob, p.move = nil, "", nil
	case FolderCreated:
		p.marker, p.folder, p.folders = true, e.Folder, e.Number
	case FolderDeleted:
		p.marker = false
	}
}

// Uploaded returns the file and the key of its stored bytes; false when the path has no uploaded file.
func (p *Place) Uploaded() (file File, blob string, ok bool) {
	if p.file == nil || p.blob == "" {
		return File{}, "", false
	}
	return *p.file, p.blob, true
}

// Pending returns the registration that waits for its upload, and the time when it expires.
func (p *Place) Pending() (file File, until time.Time, ok bool) {
	if p.file == nil || p.blob != "" {
		return File{}, time.Time{}, false
	}
	return *p.file, p.expiresAt, true
}

// Moving returns the move of the file that is in progress; nil: the file is not being moved.
func (p *Place) Moving() *FileMoveStarted { return p.move }

// HasArrived reports whether a move has ever brought a file to this path, even if the file was deleted since.
func (p *Place) HasArrived(move string) bool { return p.arrived[move] }

// Taken reports whether the path is in use: by a file, or by a registration until it expires (decision 44).
func (p *Place) Taken(now time.Time) bool {
	return p.file != nil && (p.blob != "" || now.Before(p.expiresAt))
}

// Register reserves the path for a file until a time. Spec: POST /media/file.
func (p *Place) Register(f File, until, now time.Time) ([]domain.Event, error) {
	if p.Taken(now) {
		return nil, ErrExists
	}
	return append(p.vacate(now), FileRegistered{File: f, ExpiresAt: until, At: now}), nil
}

// vacate removes an expired registration by an event of its own, so that each event describes completely what is added or
// removed.
func (p *Place) vacate(now time.Time) []domain.Event {
	if p.file == nil {
		return nil
	}
	return p.remove(Lapsed, now)
}

// Put registers and uploads a file in one step, for bytes that are stored already.
func (p *Place) Put(f File, blob string, now time.Time) ([]domain.Event, error) {
	if p.Taken(now) {
		return nil, ErrExists
	}
	return append(p.vacate(now), FileRegistered{File: f, ExpiresAt: now, At: now}, FileUploaded{File: f, Blob: blob, At: now}), nil
}

// Expects returns the file that an upload to the registration with the id entry will store, or an error if no upload is expected.
// late reports whether a registration that expires at until is too old. late is nil except when an upload begins. Decision 44.
func (p *Place) Expects(entry string, late func(until time.Time) bool) (File, error) {
	switch {
	case p.file == nil || p.file.Entry != entry:
		return File{}, ErrGone
	case p.blob != "":
		return File{}, ErrUsed
	case late != nil && late(p.expiresAt):
		return File{}, ErrLate
	}
	return *p.file, nil
}

// Upload records that the bytes for a registered file were stored as a blob. entry is the id of the registration to which
// the client has uploaded. Upload refuses if another registration has replaced that one at the path, or if bytes were
// recorded for it before.
func (p *Place) Upload(entry, blob string, now time.Time) ([]domain.Event, error) {
	f, err := p.Expects(entry, nil)
	if err != nil {
		return nil, err
	}
	return []domain.Event{FileUploaded{File: f, Blob: blob, At: now}}, nil
}

// StartMove begins a move to another path. Spec: PUT /media/file.
func (p *Place) StartMove(move string, to Path, now time.Time) ([]domain.Event, error) {
	f, _, ok := p.Uploaded()
	switch {
	case !ok:
		return nil, ErrNotFound
	case p.move != nil:
		return nil, ErrMoving
	case f.Path() == to:
		return nil, ErrTaken // decision 44: a file cannot be moved to its own path
	}
	return []domain.Event{FileMoveStarted{Move: move, ToFolder: to.Folder, ToName: to.Name, At: now}}, nil
}

// MoveIn records at the new path that the file has arrived from source, its old path. It returns no event when the file of this
// move has arrived here before.
func (p *Place) MoveIn(source *Place, now time.Time) ([]domain.Event, error) {
	move := source.move
	switch {
	case move == nil:
		return nil, ErrNoMove
	case p.HasArrived(move.Move):
		return nil, nil
	case p.Taken(now):
		return nil, ErrTaken
	}
	from := source.file.Path()
	f := *source.file
	f.Folder, f.Name, f.Entry = move.ToFolder, move.ToName, move.Move
	return append(p.vacate(now), FileMovedIn{
		File: f, Blob: source.blob, FromFolder: from.Folder, FromName: from.Name, UploadedAt: source.uploadedAt, At: now,
	}), nil
}

// EndMove ends a move at the old path. If gone is true, the file has arrived at the new path; otherwise it stays at the old path.
func (p *Place) EndMove(move string, gone bool, now time.Time) ([]domain.Event, error) {
	switch {
	case p.move == nil || p.move.Move != move:
		return nil, ErrNoMove
	case gone:
		return []domain.Event{FileMovedOut{File: *p.file, Move: move, At: now}}, nil
	}
	return []domain.Event{FileMoveAborted{Move: move, At: now}}, nil
}

// Delete removes the file, or a registration that has not expired.
func (p *Place) Delete(now time.Time) ([]domain.Event, error) {
	switch {
	case !p.Taken(now):
		return nil, ErrNotFound
	case p.move != nil:
		return nil, ErrMoving
	}
	return p.remove(ByUser, now), nil
}

func (p *Place) remove(why Reason, now time.Time) []domain.Event {
	return []domain.Event{FileDeleted{File: *p.file, Blob: p.blob, Reason: why, At: now}}
}

// Expire removes a temporary file whose retention has passed, and a registration whose upload can no longer come. It returns
// no event while neither removal is due, or while the file is being moved.
func (p *Place) Expire(now time.Time, retention time.Duration) []domain.Event {
	switch {
	case p.file == nil || p.move != nil:
		return nil
	case p.blob == "" && !now.Before(p.expiresAt.Add(UploadTime)):
		return p.remove(Lapsed, now)
	case p.blob != "" && p.file.Path().Temporary() && !now.Before(p.arrivedAt.Add(retention)):
		return p.remove(Expired, now)
	}
	return nil
}

// Clear removes what is at the path: a file, a registration, or the marker by which a folder exists. why tells whether the
// account is purged or closed. While the file is being moved, the error is ErrMoving.
func (p *Place) Clear(why Reason, now time.Time) ([]domain.Event, error) {
	switch {
	case p.move != nil:
		return nil, ErrMoving
	case p.file != nil:
		return p.remove(why, now), nil
	}
	return p.DeleteFolder(now), nil
}

// CreateFolder puts a marker at the path, by which a folder exists. It returns no event when the path has a marker already.
// Spec: POST /media/folder.
func (p *Place) CreateFolder(folder string, now time.Time) []domain.Event {
	if p.marker {
		return nil
	}
	return []domain.Event{FolderCreated{Folder: folder, Number: p.folders + 1, At: now}}
}

// DeleteFolder removes the marker by which a folder exists. It returns no event when the path has no marker.
func (p *Place) DeleteFolder(now time.Time) []domain.Event {
	if !p.marker {
		return nil
	}
	return []domain.Event{FolderDeleted{Folder: p.folder, Number: p.folders, At: now}}
}
