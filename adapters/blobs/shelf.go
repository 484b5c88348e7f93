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

// shelfName is the file, in the top folder, of what is kept on the shelf. No key begins so.
const shelfName = "documents.db"

// shelfLayout numbers the form of its tables, in the file's user_version.
const shelfLayout = 1

const (
	shelfReaders = 4   // connections that read
	shelfPage    = 500 // keys that are looked up at a time
)

// Bodies stand in the order in which they came, so that those of one commit lie together.
const shelfSchema = `CREATE TABLE IF NOT EXISTS documents (
	number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, written INTEGER NOT NULL, body BLOB NOT NULL)`

const (
	shelfPut = `INSERT INTO documents (key, written, body) VALUES (?1, ?2, ?3) ` +
		`ON CONFLICT (key) DO UPDATE SET written = ?2, body = ?3`
	shelfRemove = `DELETE FROM documents WHERE key = ?`
	shelfGet    = `SELECT written, body FROM documents WHERE key = ?`
	shelfWalk   = `SELECT key, written FROM documents WHERE key > ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4`
)

// shelf keeps small files in one SQLite file, which several processes of a host may share. What it has accepted survives a power
// cut: all who wait share one transaction and its sync. It is safe for concurrent use.
type shelf struct {
	path    string
	readers *sqlitex.Pool
	writer  *sqlite.Conn
	queue   chan *shelving
	written chan struct{} // closed when the writer has ended
}

// openShelf opens the file in a folder, or makes it. close must be called.
func openShelf(dir string) (*shelf, error) {
	s := &shelf{path: filepath.Join(dir, shelfName), queue: make(chan *shelving, maxShelvings), written: make(chan struct{})}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.path, err), s.closeFiles())
	}
	go s.run()
	return s, nil
}

func (s *shelf) open() error {
	// Made here, for only its owner may read it. A file that is there must not be opened and closed beside SQLite: its locks
	// would go.
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
	// A commit waits for its sync, and what was removed is overwritten.
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

// settle makes the tables of a new file, and refuses a file of another layout.
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

// close waits for what is being written. No call may be under way or follow.
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

// shelved is a file of the shelf, read.
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

// walk hands the keys that begin with a prefix to visit, in order, and when their files were written. Nothing is locked
// meanwhile.
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

// query hands the rows of a statement to visit.
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
