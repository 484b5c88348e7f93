// Package sqlite keeps the documents of the read models in one SQLite file that several processes of a host may share.
//
// Every collection is a table of row, id, version and body, where the body is the document in JSON, with times as texts.
// Beside it stands a table of keys: for each document and index one entry whose bytes sort as the index does, and which names the
// document's row. A commit is one transaction.
//
// The file may lose the last commits in a power failure (the log is the truth, and they are read again), but never a part of one.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

var _ projections.Documents = (*Documents)(nil)

// poolSize is how many readers there can be at once; SQLite has one writer.
const poolSize = 6

// cacheSize is what a connection keeps of the file in memory, in KiB.
const cacheSize = "PRAGMA cache_size = -16384"

// checkpointPages is how long the write-ahead log grows, in pages of 4 KiB, before it is moved into the file: a page that changes
// with every commit is moved once then. Four times SQLite's own, it halves what is read and written under load.
const checkpointPages = "PRAGMA wal_autocheckpoint = 4000"

// Documents is a projections.Documents in a SQLite file.
type Documents struct {
	pool *sqlitex.Pool
	// writing holds the connection of this process's writer. Waiting here is cheaper than waiting for the file, and what one
	// connection has written stands in its own memory for the next time.
	writing chan *sqlite.Conn

	path    string
	file    os.FileInfo // of the file that is open, whatever stands under its name
	aside   string
	damaged chan struct{} // closed once: see Damaged
	once    sync.Once

	mu     sync.RWMutex
	tables map[string]*table // that have been declared, by name
}

// Open opens the file, or makes it. One that is damaged is set aside under a name with its date, and a new one is made: see
// Aside. Close must be called.
func Open(path string) (d *Documents, err error) {
	err = alone(path, func() error {
		var cause error
		if !marked(path) {
			if d, cause = open(path); cause == nil || !isDamage(cause) {
				return cause
			}
		}
		aside, err := setAside(path, time.Now())
		if err != nil {
			return errors.Join(cause, err)
		}
		if d, err = open(path); err == nil {
			d.aside = aside
		}
		return err
	})
	return d, err
}

// makePrivate makes the file and those beside it readable for this user only. SQLite gives new ones beside it the mode of the
// first.
func makePrivate(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(name, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the read models must be open to this user only (chmod 600): %w", err)
		}
	}
	return nil
}

func open(path string) (*Documents, error) {
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	uri := "file:" + escape(path)
	pool, err := sqlitex.NewPool(uri, sqlitex.PoolOptions{PoolSize: poolSize, PrepareConn: prepare})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	writer, err := sqlite.OpenConn(uri)
	if err == nil {
		err = prepare(writer)
	}
	if err == nil {
		err = settle(writer)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), closeIf(writer), pool.Close())
	}
	d := &Documents{
		pool:    pool,
		writing: make(chan *sqlite.Conn, 1),
		tables:  make(map[string]*table),
		path:    path,
		damaged: make(chan struct{}),
	}
	if d.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(err, writer.Close(), pool.Close())
	}
	d.writing <- writer
	return d, nil
}

func closeIf(conn *sqlite.Conn) error {
	if conn == nil {
		return nil
	}
	return conn.Close()
}

// Close waits for the writer and closes the file. Once more is no error. A file that was found damaged or set aside is left open
// until the process ends: SQLite would take away what stands beside the new one.
func (d *Documents) Close() error {
	writer, open := <-d.writing
	if !open {
		return nil
	}
	close(d.writing)
	if d.check() != nil {
		return nil
	}
	if err := errors.Join(writer.Close(), d.pool.Close()); err != nil {
		return fmt.Errorf("close the document store: %w", err)
	}
	return nil
}

// prepare sets up a connection. Its waits for other processes' locks end with the context it is taken with.
func prepare(conn *sqlite.Conn) error {
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(conn, checkpointPages, nil); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(conn, cacheSize, nil)
}

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Declare implements projections.Documents.
func (d *Documents) Declare(ctx context.Context, collections ...projections.Collection) error {
	for _, c := range collections {
		if !nameRule.MatchString(c.Name) {
			return fmt.Errorf("declare %q: not a name of a collection", c.Name)
		}
	}
	forms := make([]form, len(collections))
	err := d.write(ctx, func(conn *sqlite.Conn) (err error) {
		for i, c := range collections {
			for _, statement := range create(c.Name) {
				if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
					return err
				}
			}
			if forms[i], err = formOf(conn, c.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("declare collections: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, c := range collections {
		d.tables[c.Name] = newTable(c, forms[i])
	}
	return nil
}

// Drop implements projections.Documents.
func (d *Documents) Drop(ctx context.Context, collection string) error {
	if !nameRule.MatchString(collection) {
		return fmt.Errorf("drop %q: not a name of a collection", collection)
	}
	err := d.write(ctx, func(conn *sqlite.Conn) error {
		for _, table := range []string{collection, collection + ".keys"} {
			if err := sqlitex.ExecuteTransient(conn, `DROP TABLE IF EXISTS "`+table+`"`, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop %s: %w", collection, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tables, collection)
	return nil
}

// table returns what was declared under a name.
func (d *Documents) table(name string) (*table, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	t, ok := d.tables[name]
	if !ok {
		return nil, fmt.Errorf("collection %q has not been declared", name)
	}
	return t, nil
}

// read runs step, which has a number of statements: more than one see one state of the file in a transaction.
func (d *Documents) read(ctx context.Context, statements int, step func(*sqlite.Conn) error) (err error) {
	conn, err := d.pool.Take(ctx)
	if err != nil {
		return err
	}
	defer d.pool.Put(conn)
	defer func() { err = causeOf(ctx, d.noticed(err)) }()
	if statements > 1 {
		end := sqlitex.Transaction(conn)
		defer end(&err)
	}
	return step(conn)
}

// write runs step in the transaction of the one writer.
func (d *Documents) write(ctx context.Context, step func(*sqlite.Conn) error) (err error) {
	var conn *sqlite.Conn
	open := true
	select {
	case conn, open = <-d.writing:
	case <-ctx.Done():
		return ctx.Err()
	}
	if !open {
		return errors.New("the document store is closed")
	}
	conn.SetInterrupt(ctx.Done())
	defer func() {
		conn.SetInterrupt(nil)
		d.writing <- conn
	}()
	defer func() { err = causeOf(ctx, d.noticed(err)) }()
	if err := d.check(); err != nil {
		return err
	}
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	return step(conn)
}

// causeOf names the end of the context where SQLite only says that it was interrupted.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return errors.Join(ctx.Err(), err)
	}
	return err
}
