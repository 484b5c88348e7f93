// Package sqlite stores the documents of the read models in an SQLite file, which several processes of a host may share.
//
// Every collection is a table with the columns row, id, version, gone and body; gone is the time of a tombstone in Unix
// milliseconds, body is the document in JSON, with times as texts, or in BSON in a table that an earlier version of this
// program has created. A second table has the index keys: one for each index and each document that is no tombstone,
// together with the document's row. The bytes of the keys sort in the order of the index. A commit is one transaction.
//
// After a power failure the file may lack the last commits, but it never has a part of one. Lost commits are made again
// from the log.
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

// poolSize is the number of concurrent readers; SQLite has one writer.
const poolSize = 6

// cacheSize limits the memory in which a connection to SQLite caches database pages, to 16,384 KiB.
const cacheSize = "PRAGMA cache_size = -16384"

// checkpointPages is the size of the write-ahead log, in database pages of 4 KiB, at which SQLite copies it into the file.
// A page that several commits have changed until then is copied only once. The number is four times SQLite's default, which
// about halves the reads and writes under load.
const checkpointPages = "PRAGMA wal_autocheckpoint = 4000"

// overwriting makes SQLite overwrite what is removed from a database page that stays in use: this costs no further write. A
// database page that is no longer in use keeps its old content until it is used again, or Shrink or Scrub returns it to the
// disk.
const overwriting = "PRAGMA secure_delete = FAST"

// Documents is a projections.Documents in a SQLite file.
type Documents struct {
	pool *sqlitex.Pool
	// writing holds this process's connection for writes. Waiting for it is cheaper than waiting for the file's lock, and the
	// connection's page cache stays valid between writes.
	writing chan *sqlite.Conn

	path    string
	file    os.FileInfo // identity of the open file, by which a new file with the same name is recognised
	aside   string
	damaged chan struct{} // closed when the file must no longer be used, see Damaged
	once    sync.Once

	mu     sync.RWMutex
	tables map[string]*table // declared collections, by name
}

// Open opens or creates the file. It sets a damaged file aside under a name with the date, and creates a new one: see Aside.
// Close must be called.
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

// makePrivate creates the file if it is missing, and restricts it and its sidecars to this user. SQLite gives new sidecars the
// mode of the file.
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
	if err := begin(uri); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
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

// Close waits for the writer and closes the file. It may be called again. A file that was found damaged or set aside stays open
// until the process ends: closing it would make SQLite remove the sidecars of the new file.
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

// prepare configures a connection. When the connection waits for a lock of another process, the wait ends with the context
// of the call that uses the connection.
func prepare(conn *sqlite.Conn) error {
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return err
	}
	for _, setting := range []string{checkpointPages, overwriting} {
		if err := sqlitex.ExecuteTransient(conn, setting, nil); err != nil {
			return err
		}
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

// table returns a declared collection.
func (d *Documents) table(name string) (*table, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	t, ok := d.tables[name]
	if !ok {
		return nil, fmt.Errorf("collection %q has not been declared", name)
	}
	return t, nil
}

// read calls step with a connection for reads. statements is the number of SQL statements in step; several run in one
// transaction, so that they see the same state.
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

// write calls step in a transaction, with the connection for writes.
func (d *Documents) write(ctx context.Context, step func(*sqlite.Conn) error) error {
	return d.withWriter(ctx, func(conn *sqlite.Conn) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		return step(conn)
	})
}

// withWriter calls step with the connection for writes, without a transaction.
func (d *Documents) withWriter(ctx context.Context, step func(*sqlite.Conn) error) (err error) {
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
	return step(conn)
}

// causeOf adds the context's error to an SQLite error, which says only that the statement was interrupted.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return errors.Join(ctx.Err(), err)
	}
	return err
}
