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
	// maxFolders bounds the folders that are kept open. A folder has two file descriptors.
	maxFolders = 256
	// copyBytes is how much of a file is copied at a time.
	copyBytes = 256 << 10
)

// folders keeps the folders open that files were put into last, each with the way to it on disk. It is safe for concurrent use.
type folders struct {
	top string // absolute

	mu     sync.Mutex
	byPath map[string]*folder
}

// folder is a directory whose way from the top was on disk when it was opened. It stays the same directory whatever becomes of
// its name: once it has been removed, nothing can be put into it.
type folder struct {
	path  string
	root  *os.Root
	self  *os.File // the same directory, to be synced
	users int      // guarded by folders.mu; one of them is the map, while it is in there

	changes atomic.Int64 // entries made

	mu     sync.Mutex
	synced int64 // changes that are on disk
	failed error // of a sync, after which the directory is given up
}

func newFolders(top string) *folders { return &folders{top: top, byPath: make(map[string]*folder)} }

// enter returns the open folder at a path below the top, and makes it where there is none. leave must follow.
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

// open opens a folder and puts the entries that lead to it on disk, up to the top: any of them may be new, made by this process
// or by another one that has not come to sync it.
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

// forget makes the next one to enter the folder's path open it anew.
func (f *folders) forget(gone *folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(gone)
}

// drop takes a folder out of the map. The caller holds mu.
func (f *folders) drop(old *folder) {
	if f.byPath[old.path] == old {
		delete(f.byPath, old.path)
		f.release(old)
	}
}

// release closes a folder that nobody uses any more. The caller holds mu.
func (f *folders) release(old *folder) {
	if old.users--; old.users == 0 {
		_ = old.close() // nothing was written through these descriptors
	}
}

// closeAll forgets every folder.
func (f *folders) closeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, old := range f.byPath {
		f.drop(old)
	}
}

func (o *folder) close() error { return errors.Join(o.self.Close(), o.root.Close()) }

// put stores what r yields under a name in a folder: the bytes are on disk before the name is there, and the name when put
// returns.
func (f *folders) put(ctx context.Context, dir, name string, r io.Reader) error {
	for {
		into, err := f.enter(dir)
		if err != nil {
			return err
		}
		temp, file, err := into.create(name)
		if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil { // an empty folder has been tidied away
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

// temps tells temporary files of one process and moment apart.
var temps atomic.Int64

// create opens a temporary file beside its goal: a rename works only within one file system. It is locked for as long as it is
// being written; where the file system has no locks its age has to do.
func (o *folder) create(name string) (string, *os.File, error) {
	temp := name + "." + strconv.FormatInt(time.Now().UnixNano(), 16) + strconv.FormatInt(temps.Add(1), 36) + tempSuffix
	file, err := o.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	return temp, file, err
}

// fill writes a temporary file, puts it on disk and gives it its name, or removes it.
func (o *folder) fill(ctx context.Context, temp, name string, file *os.File, r io.Reader) error {
	err := copyInto(ctx, file, r)
	if err == nil {
		// Before the rename: otherwise a power cut could leave the name with nothing behind it.
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

// copyInto writes what r yields. What is in memory is written in one piece.
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
	// Neither side may take the copying over: the context would not be asked.
	_, err := io.CopyBuffer(struct{ io.Writer }{file}, contextReader{ctx, r}, make([]byte, copyBytes))
	return err
}

// sync puts the folder's entries on disk. Those who wait for a sync are served by the next one together.
func (o *folder) sync() error {
	mine := o.changes.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.synced >= mine || o.failed != nil {
		return o.failed
	}
	all := o.changes.Load()
	// An error is reported once only: whoever asks again would be told that all is well.
	if o.failed = o.self.Sync(); o.failed == nil {
		o.synced = all
	}
	return o.failed
}
