package blobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Backup copies the shelf of a folder into a new file, in its state at one moment, and returns the number of files on the shelf.
// Processes may use the folder meanwhile. The copy is compact and verified. The file gets its name when all of it is on disk. To
// restore the copy, put it into the folder under the name documents.db, and remove all other files whose names begin with
// documents.db.
func Backup(ctx context.Context, dir, to string) (documents int64, err error) {
	partial := to + ".partial"
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("back up %s: %w", filepath.Join(dir, shelfName), err), ignoreMissing(os.Remove(partial)))
		}
	}()
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return 0, errors.Join(fmt.Errorf("%s is there already", to), err)
	}
	copied, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	err = execute(ctx, filepath.Join(dir, shelfName), func(conn *sqlite.Conn) error {
		return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{partial}})
	})
	if err = errors.Join(err, copied.Sync(), copied.Close()); err != nil {
		return 0, err
	}
	err = execute(ctx, partial, func(conn *sqlite.Conn) (err error) {
		documents, err = checked(conn)
		return err
	})
	if err == nil {
		err = os.Rename(partial, to)
	}
	if err != nil {
		return 0, err
	}
	return documents, syncFolder(filepath.Dir(to))
}

// execute opens an existing database and calls do with it.
func execute(ctx context.Context, path string, do func(*sqlite.Conn) error) error {
	conn, err := sqlite.OpenConn("file:"+(&url.URL{Path: path}).EscapedPath(), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return err
	}
	conn.SetInterrupt(ctx.Done())
	return errors.Join(do(conn), conn.Close())
}

// checked verifies every page of a copy of the shelf and counts the files on it.
func checked(conn *sqlite.Conn) (int64, error) {
	verdict, err := sqlitex.ResultText(conn.Prep("PRAGMA integrity_check(1)"))
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("the copy is not sound: %s", verdict)
	}
	if err != nil {
		return 0, err
	}
	return sqlitex.ResultInt64(conn.Prep("SELECT count(*) FROM documents"))
}
