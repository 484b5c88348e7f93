package logfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrInUse says that a data folder is open in another process.
var ErrInUse = errors.New("the folder is open in another process")

// FileName is the log's name in the data folder. SQLite keeps its write-ahead log beside it.
const FileName = "events.db"

// Folder is a data folder that this process has locked.
type Folder struct {
	dir  string
	lock *os.File
}

// OpenFolder creates the data folder when it is missing, and locks it. Close unlocks it.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, lock: lock}, nil
}

// Path is the file of the log in the folder.
func (f *Folder) Path() string { return filepath.Join(f.dir, FileName) }

// Sync makes the names of new files in the folder durable.
func (f *Folder) Sync() error { return SyncFolder(f.dir) }

// Close unlocks the folder.
func (f *Folder) Close() error { return unlockFolder(f.lock) }

// lockName is the name of the file that is locked, in the data folder.
const lockName = "lock"

// lockFolder locks a data folder, or returns ErrInUse when it is locked already. The lock ends with the process, also when
// the process is killed. The lock file stays, and names the process that locked it last.
func lockFolder(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the event store's folder: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		owner := make([]byte, 32)
		n, _ := file.ReadAt(owner, 0)
		err = fmt.Errorf("%w: %s (%s)", ErrInUse, dir, strings.TrimSpace(string(owner[:n])))
	}
	if err == nil {
		err = writeOwner(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the event store's folder: %w", err), file.Close())
	}
	return file, nil
}

// unlockFolder releases the lock at once. Closing the file alone would leave the folder locked while a child process that is just
// being started holds a copy of the descriptor.
func unlockFolder(file *os.File) error {
	return errors.Join(unix.Flock(int(file.Fd()), unix.LOCK_UN), file.Close())
}

// InUse reports whether a server has the data folder open. It neither creates the folder nor writes into it.
func InUse(dir string) (bool, error) {
	file, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, file.Close()
	}
	return false, errors.Join(err, unlockFolder(file))
}

func writeOwner(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(fmt.Sprintf("process %d\n", os.Getpid())), 0)
	return err
}

// SyncFolder makes the names of new files in the folder dir durable.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
