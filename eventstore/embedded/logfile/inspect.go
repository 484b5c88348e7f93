package logfile

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// LogFile is the path of the file of the log in a data folder. When there is no such file, it returns an error.
func LogFile(dir string) (string, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no event log in %s: %w", dir, err)
	}
	return path, nil
}

// inspection is a log that is opened for reading, as a snapshot: later appends of a server are not seen.
type inspection struct {
	path string
	conn *sqlite.Conn
	// lock of the data folder; nil while a server has the folder open, and for a backup file, which is in no data folder
	lock *os.File
	// the file has the tables of collapsed streams
	collapses bool
}

// inspect opens a data folder, or the file of a backup. Beside a running server it only reads, through a connection of its own:
// SQLite's locks isolate it from the server. A folder without a running server is locked, so that no server can open it
// meanwhile.
func inspect(ctx context.Context, path string) (_ *inspection, err error) {
	i := &inspection{path: path}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open %s: %w", path, readError(i.path, err)), i.close())
		}
	}()
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	flags := sqlite.OpenReadOnly
	if info.IsDir() {
		if i.path, err = LogFile(path); err != nil {
			return nil, err
		}
		i.lock, err = lockFolder(path)
		if err != nil && !errors.Is(err, ErrInUse) {
			return nil, err
		}
		if i.lock != nil {
			flags = sqlite.OpenReadWrite // a write-ahead log that a crash left has to be moved into the file first
		}
	}
	if info, err = os.Stat(i.path); err != nil {
		return nil, err
	}
	if i.path, err = realPath(i.path); err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, &CorruptError{File: i.path}
	}
	if i.lock != nil {
		if err := checkWAL(i.path + "-wal"); err != nil {
			return nil, err
		}
	}
	if i.conn, err = i.connect(flags); err != nil {
		return nil, err
	}
	i.conn.SetInterrupt(ctx.Done())
	return i, i.begin()
}

// connect opens the connection. A file without a write-ahead log, in a folder without a lock file, is opened without
// SQLite's locks: the file of a backup may be on a read-only disk.
func (i *inspection) connect(flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	uri, err := checkedURI(i.path)
	if err != nil {
		return nil, err
	}
	_, err = os.Stat(i.path + "-wal")
	_, locked := os.Stat(filepath.Join(filepath.Dir(i.path), lockName))
	if errors.Is(err, os.ErrNotExist) && errors.Is(locked, os.ErrNotExist) {
		uri += "&" + url.Values{"immutable": {"1"}}.Encode()
	}
	return sqlite.OpenConn(uri, flags|sqlite.OpenURI)
}

// begin starts the read transaction, which fixes the snapshot.
func (i *inspection) begin() error {
	if err := sqlitex.ExecuteTransient(i.conn, "BEGIN", nil); err != nil {
		return err
	}
	version, _, err := queryInt(i.conn, "PRAGMA user_version")
	if err == nil {
		err = checkVersion(version)
	}
	if err != nil {
		return err
	}
	i.collapses = version == collapsedVersion
	_, _, err = queryInt(i.conn, "SELECT max(position) FROM events")
	return err
}

func (i *inspection) close() error {
	var all []error
	if i.conn != nil {
		i.conn.SetInterrupt(nil)
		all = append(all, i.conn.Close())
	}
	if i.lock != nil {
		all = append(all, unlockFolder(i.lock))
	}
	return errors.Join(all...)
}
