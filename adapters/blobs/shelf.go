package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/commands"
)

// shelfName is the name of the database of the shelf, in the folder of a Bucket. No key begins with it.
const shelfName = "documents.db"

// shelfLayout is the version of the shelf's tables, stored in the file's user_version.
const shelfLayout = 1

const (
	shelfReaders = 4   // largest number of connections for reading
	shelfPage    = 500 // largest number of keys that a query returns
)

// Bodies are stored in the order of arrival, so that the bodies of one commit are adjacent.
const shelfSchema = `CREATE TABLE IF NOT EXISTS documents (
	number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, written INTEGER NOT NULL, body BLOB NOT NULL)`

const (
	shelfPut = `INSERT INTO documents (key, written, body) VALUES (?1, ?2, ?3) ` +
		`ON CONFLICT (key) DO UPDATE SET written = ?2, body = ?3`
	shelfRemove = `DELETE FROM documents WHERE key = ?`
	shelfGet    = `SELECT written, body FROM documents WHERE key = ?`
	shelfWalk   = `SELECT key, written FROM documents WHERE key > ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4`
)

// shelf stores small files in one SQLite database, which several processes of a host may share. A file that put has stored
// survives a power cut. Writers that wait at the same time share a transaction and its sync. It is safe for concurrent use.
type shelf struct {
	path    string
	readers *sqlitex.Pool
	writer  *sqlite.Conn
	queue   chan *shelving
	written chan struct{} // closed when the goroutine that writes has ended
}

// openShelf opens the database in a folder, or creates it. The caller must call close.
func openShelf(dir string) (*shelf, error) {
	s := &shelf{path: filepath.Join(dir, shelfName), queue: make(chan *shelving, maxShelvings), written: make(chan struct{})}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.path, err), s.closeFiles())
	}
	go s.run()
	return s, nil
}

func (s *shelf) open() error {
	// The file is created here, so that only its owner can read it. An existing file must not be opened and closed outside of
	// SQLite: that would release SQLite's locks.
	file, err := os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(file.Close(), syncFolder(filepath.Dir(s.path)))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	uri := "file:" + (&url.URL{Path: s.path}).EscapedPath()
	if s.writer, err = sqlite.OpenConn(uri); err != nil {
		return err
	}
	// A commit waits for its sync, and removed content is overwritten.
	for _, setting := range []string{"synchronous = FULL", "secure_delete = ON", "cache_size = -16384",
		"wal_autocheckpoint = 4000"} {
		if err := sqlitex.ExecuteTransient(s.writer, "PRAGMA "+setting, nil); err != nil {
			return err
		}
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.readers, err = sqlitex.NewPool(uri, sqlitex.PoolOptions{PoolSize: shelfReaders})
	return err
}

// settle creates the tables of a new database, and refuses one with another layout.
func (s *shelf) settle() (err error) {
	end, err := sqlitex.ImmediateTransaction(s.writer)
	if err != nil {
		return err
	}
	defer end(&err)
	found, err := sqlitex.ResultInt64(s.writer.Prep("PRAGMA user_version"))
	if err != nil || found == shelfLayout {
		return err
	}
	if found != 0 {
		return fmt.Errorf("its layout is number %d, which this program does not know", found)
	}
	if err := sqlitex.ExecuteTransient(s.writer, shelfSchema, nil); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(s.writer, fmt.Sprintf("PRAGMA user_version = %d", shelfLayout), nil)
}

// close waits for pending writes. No call may be running or follow.
func (s *shelf) close() error {
	close(s.queue)
	<-s.written
	return s.closeFiles()
}

func (s *shelf) closeFiles() error {
	var errs []error
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(errs...)
}

// shelved is the content of a file on the shelf.
type shelved struct {
	*bytes.Reader
	written time.Time
}

var _ commands.File = (*shelved)(nil)

func (f *shelved) ModTime() time.Time { return f.written }
func (f *shelved) Close() error       { return nil }

// get returns a file; nil: there is none.
func (s *shelf) get(ctx context.Context, key string) (*shelved, error) {
	var found *shelved
	err := s.query(ctx, shelfGet, func(stmt *sqlite.Stmt) {
		body := make([]byte, stmt.ColumnLen(1))
		stmt.ColumnBytes(1, body)
		found = &shelved{Reader: bytes.NewReader(body), written: time.UnixMilli(stmt.ColumnInt64(0))}
	}, key)
	return found, err
}

// walk calls visit for the keys with a prefix, in order, with the times when their files were written. It holds no lock.
func (s *shelf) walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error {
	type entry struct {
		key     string
		written time.Time
	}
	for last := ""; ; {
		var page []entry
		err := s.query(ctx, shelfWalk, func(stmt *sqlite.Stmt) {
			page = append(page, entry{stmt.ColumnText(0), time.UnixMilli(stmt.ColumnInt64(1))})
		}, last, prefix, prefix+"\xff", shelfPage)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := visit(e.key, e.written); err != nil {
				return err
			}
		}
		if len(page) < shelfPage {
			return nil
		}
		last = page[len(page)-1].key
	}
}

// query calls visit for each row of a statement.
func (s *shelf) query(ctx context.Context, statement string, visit func(*sqlite.Stmt), args ...any) error {
	conn, err := s.readers.Take(ctx)
	if err != nil {
		return err
	}
	defer s.readers.Put(conn)
	err = sqlitex.Execute(conn, statement, &sqlitex.ExecOptions{
		Args: args, ResultFunc: func(stmt *sqlite.Stmt) error { visit(stmt); return nil },
	})
	if err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}
