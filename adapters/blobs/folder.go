package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxFolders is the largest number of folders that are kept open. Each has two file descriptors.
	maxFolders = 256
	// copyBytes is the size in bytes of the buffer for copying a file.
	copyBytes = 256 << 10
)

// folders keeps the folders open into which files were written. Before it would keep more than maxFolders, it forgets all.
// When a folder is opened, all directory entries on the path to it are on disk. It is safe for concurrent use.
type folders struct {
	top string // absolute path of the folder that contains all the others

	mu     sync.Mutex
	byPath map[string]*folder
}

// folder is an open directory. All directory entries on the path to it were on disk when it was opened. It stays the same
// directory even if it is renamed or removed; in a removed directory, nothing can be created.
type folder struct {
	path string
	root *os.Root
	self *os.File // the directory again, opened for syncing
	// users is the number of calls that use the folder now, plus 1 while folders.byPath contains it; guarded by
	// folders.mu.
	users int

	changes atomic.Int64 // number of entries made in the directory

	mu     sync.Mutex
	synced int64 // number of changes that are on disk
	failed error // error of a sync, after which the directory is not used any more
}

func newFolders(top string) *folders { return &folders{top: top, byPath: make(map[string]*folder)} }

// enter returns the open folder at a path below the top, and creates it if necessary. The caller must call leave.
func (f *folders) enter(path string) (*folder, error) {
	f.mu.Lock()
	known, ok := f.byPath[path]
	if ok {
		known.users++
	}
	f.mu.Unlock()
	if ok {
		return known, nil
	}
	opened, err := f.open(path)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.byPath) >= maxFolders {
		for _, old := range f.byPath {
			f.drop(old)
		}
	}
	if known, ok := f.byPath[path]; ok {
		f.drop(known)
	}
	f.byPath[path] = opened
	opened.users = 2
	return opened, nil
}

// open opens a folder, which it creates if necessary, and syncs the entries that lead to it, up to the top: any of them may
// be new, made by this process or by another one that has not synced it yet.
func (f *folders) open(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	opened := &folder{path: path, root: root, self: self}
	for dir := path; dir != f.top && len(dir) > len(f.top); {
		dir = filepath.Dir(dir)
		if err := syncFolder(dir); err != nil {
			return nil, errors.Join(err, opened.close())
		}
	}
	return opened, nil
}

func (f *folders) leave(left *folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.release(left)
}

// forget makes the next call of enter open the folder anew.
func (f *folders) forget(gone *folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(gone)
}

// drop removes a folder from the map of open folders. The caller holds mu.
func (f *folders) drop(old *folder) {
	if f.byPath[old.path] == old {
		delete(f.byPath, old.path)
		f.release(old)
	}
}

// release ends one use of a folder, and closes the folder after its last use. The caller holds mu.
func (f *folders) release(old *folder) {
	if old.users--; old.users == 0 {
		_ = old.close() // the error is ignored: nothing was written through these descriptors
	}
}

// closeAll removes all folders from the map of open folders. Each is closed as soon as no call uses it any more.
func (f *folders) closeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, old := range f.byPath {
		f.drop(old)
	}
}

func (o *folder) close() error { return errors.Join(o.self.Close(), o.root.Close()) }

// put stores the bytes of r as the file name in the folder dir. The bytes are on disk before the file gets its name, and
// the name is on disk when put returns.
func (f *folders) put(ctx context.Context, dir, name string, r io.Reader) error {
	for {
		into, err := f.enter(dir)
		if err != nil {
			return err
		}
		temp, file, err := into.create(name)
		if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil { // Tidy has removed the empty folder meanwhile
			f.forget(into)
			f.leave(into)
			continue
		}
		if err == nil {
			err = into.fill(ctx, temp, name, file, r)
		}
		if err == nil {
			err = into.sync()
		}
		if err != nil {
			f.forget(into)
		}
		f.leave(into)
		return err
	}
}

// temps makes the names of temporary files unique within a process.
var temps atomic.Int64

// create opens a temporary file in the folder of its target, because a rename works only within one file system. The file
// is locked while it is being written, so that RemoveAbandoned does not remove it. On a file system without locks
// RemoveAbandoned removes nothing, and Tidy removes files by their age.
func (o *folder) create(name string) (string, *os.File, error) {
	temp := name + "." + strconv.FormatInt(time.Now().UnixNano(), 36) + strconv.FormatInt(temps.Add(1), 36) + tempSuffix
	file, err := o.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	return temp, file, err
}

// fill writes a temporary file, syncs it and renames it, or removes it on failure.
func (o *folder) fill(ctx context.Context, temp, name string, file *os.File, r io.Reader) error {
	err := copyInto(ctx, file, r)
	if err == nil {
		// Sync before the rename: otherwise a power cut could leave the name without content.
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = o.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(o.root.Remove(temp)))
	}
	return nil
}

// copyInto copies r to the file. Content in memory is written in one piece.
func copyInto(ctx context.Context, file *os.File, r io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if whole, ok := r.(io.WriterTo); ok {
		if _, isFile := r.(*os.File); !isFile {
			_, err := whole.WriteTo(file)
			return err
		}
	}
	// The wrappers prevent shortcuts of the copy, which would not check the context.
	_, err := io.CopyBuffer(struct{ io.Writer }{file}, contextReader{ctx, r}, make([]byte, copyBytes))
	return err
}

// sync syncs the folder's entries. All callers that wait share the next sync.
func (o *folder) sync() error {
	mine := o.changes.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.synced >= mine || o.failed != nil {
		return o.failed
	}
	all := o.changes.Load()
	// The kernel reports a sync error only once: a second sync would wrongly succeed.
	if o.failed = o.self.Sync(); o.failed == nil {
		o.synced = all
	}
	return o.failed
}
