package logfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// schemaVersion is the number that SQLite stores as user_version in the log's file, until the first stream is collapsed
// (collapsedVersion). A file with another number is refused.
const schemaVersion = 2

// The streams table stores each stream's name once. The index (stream, id) finds a stored event for appends without an
// expected revision. The column removed is how many events of the stream retention has removed, from revision 0 on; the row
// of the name nameless is an exception.
const schema = `
CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, removed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream   INTEGER NOT NULL REFERENCES streams(id),
  revision INTEGER NOT NULL,
  id       BLOB    NOT NULL,
  type     TEXT    NOT NULL,
  json     INTEGER NOT NULL,
  created  INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  metadata BLOB    NOT NULL,
  data     BLOB    NOT NULL
);
CREATE UNIQUE INDEX events_by_revision ON events (stream, revision);
CREATE INDEX events_by_id ON events (stream, id);
PRAGMA user_version = 2;
`

// synchronous=FULL syncs the write-ahead log at every commit: that makes an acknowledged append durable. When the file is
// opened, SQLite moves the contents of a write-ahead log that a crash left into the file. So a run begins with an empty
// write-ahead log, unless another process reads the file at that moment. While the server runs, SQLite moves the contents
// about every 4,000 pages of 4 KiB: a page that changes with every commit is then written to the file once.
var writerPragmas = []string{"journal_mode = WAL", "synchronous = FULL", "cache_size = -16000", "wal_autocheckpoint = 4000",
	"wal_checkpoint(TRUNCATE)"}

const (
	readers    = 4      // number of connections for reading
	maxKnownID = 50_000 // maximum number of streams whose row ids the writer caches
)

// Log implements Storage with one SQLite file.
type Log struct {
	path      string
	writer    *sqlite.Conn
	ids       map[string]int64 // cache of the streams' row ids, used by the writer only
	readers   chan *sqlite.Conn
	collapses atomic.Bool // the file has the tables of collapsed streams
}

// Open opens the file of a log, and creates it when it is missing.
func Open(path string) (*Log, error) {
	l := &Log{path: path, ids: map[string]int64{}, readers: make(chan *sqlite.Conn, readers)}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log %s: %w", path, readError(l.path, err)), l.Close())
	}
	return l, nil
}

func (l *Log) open() (err error) {
	if err := createFile(l.path); err != nil {
		return err
	}
	if l.path, err = realPath(l.path); err != nil {
		return err
	}
	if err := checkWAL(l.path + "-wal"); err != nil {
		return err
	}
	failedSyncs.Delete(l.path)
	failedSyncs.Delete(l.path + "-wal")
	if l.writer, err = OpenFile(l.path, sqlite.OpenReadWrite); err != nil {
		return err
	}
	for _, pragma := range writerPragmas {
		if err := sqlitex.ExecuteTransient(l.writer, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	if err := l.migrate(); err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(l.writer, groupsSchema, nil); err != nil {
		return err
	}
	for range readers {
		conn, err := OpenFile(l.path, sqlite.OpenReadOnly)
		if err != nil {
			return err
		}
		l.readers <- conn
	}
	return nil
}

// OpenFile opens a connection through the VFS that checks pages.
func OpenFile(path string, flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	uri, err := checkedURI(path)
	if err != nil {
		return nil, err
	}
	return sqlite.OpenConn(uri, flags|sqlite.OpenURI)
}

// realPath returns the path in the form in which SQLite passes it to the VFS.
func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// createFile creates, atomically, the file of a log without tables, if there is none. SQLite gives the same permissions to the
// files that it keeps beside this one.
func createFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		return &CorruptError{File: path} // an empty file is damage, but SQLite would treat it as a new log
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return fmt.Errorf("%s is missing, but its write-ahead log is there", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "new-*.db") // CreateTemp gives the file the mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(emptyPage())
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// migrate creates the tables of a new file. It refuses a file whose user_version this program does not know.
func (l *Log) migrate() error {
	version := int64(-1)
	err := sqlitex.ExecuteTransient(l.writer, "PRAGMA user_version", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error { version = stmt.ColumnInt64(0); return nil },
	})
	switch {
	case err != nil:
		return err
	case version == 0:
		return sqlitex.ExecuteScript(l.writer, schema, nil) // ExecuteScript runs the whole schema in one transaction
	default:
		l.collapses.Store(version == collapsedVersion)
		return checkVersion(version)
	}
}

// checkVersion returns an error for a file whose user_version this program does not know.
func checkVersion(version int64) error {
	if version != schemaVersion && version != collapsedVersion {
		return fmt.Errorf("it has version %d, and this program reads versions %d and %d", version, schemaVersion, collapsedVersion)
	}
	return nil
}

// Close implements Storage. Every connection for reading must have been returned.
func (l *Log) Close() error {
	var all []error
	for range len(l.readers) {
		all = append(all, (<-l.readers).Close())
	}
	if l.writer != nil {
		all = append(all, l.writer.Close()) // SQLite moves the write-ahead log into the file when the last connection closes
		l.writer = nil
	}
	return errors.Join(all...)
}

// Commit implements Storage.
func (l *Log) Commit(batch []*Record, groups []*GroupRow) error {
	return l.transaction(func() error {
		if err := l.insert(batch); err != nil {
			return err
		}
		return l.saveGroups(groups)
	})
}

// transaction calls do in a transaction of the writer's connection, and commits durably.
func (l *Log) transaction(do func() error) error {
	for _, path := range []string{l.path, l.path + "-wal"} {
		if _, failed := failedSyncs.Load(path); failed { // a sync of a checkpoint has failed, which SQLite itself does not report
			return fmt.Errorf("a sync of %s has failed", path)
		}
	}
	if err := sqlitex.Execute(l.writer, "BEGIN IMMEDIATE", nil); err != nil {
		return l.commitError(err)
	}
	err := do()
	if err == nil {
		err = sqlitex.Execute(l.writer, "COMMIT", nil)
	}
	if err == nil {
		return nil
	}
	clear(l.ids) // the cache may hold streams that the rollback removes
	if !l.writer.AutocommitEnabled() {
		if undo := sqlitex.Execute(l.writer, "ROLLBACK", nil); undo != nil {
			return fmt.Errorf("roll back after %w: %w", err, undo)
		}
	}
	return l.commitError(err)
}

func (l *Log) commitError(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("commit: %w", readError(l.path, err))
}

func (l *Log) insert(batch []*Record) error {
	stmt, err := l.writer.Prepare(`INSERT INTO events
		(position, stream, revision, id, type, json, created, checksum, metadata, data) VALUES (?,?,?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	for _, r := range batch {
		stream, err := l.streamID(r.Stream)
		if err != nil {
			return err
		}
		stmt.BindInt64(1, r.Position)
		stmt.BindInt64(2, stream)
		stmt.BindInt64(3, r.Revision)
		stmt.BindBytes(4, r.ID[:])
		stmt.BindText(5, r.Kind)
		stmt.BindBool(6, r.JSON)
		stmt.BindInt64(7, r.Created)
		stmt.BindInt64(8, int64(r.checksum()))
		bindBytes(stmt, 9, r.Metadata)
		bindBytes(stmt, 10, r.Data)
		_, err = stmt.Step()
		if err := errors.Join(err, stmt.Reset()); err != nil {
			return err
		}
	}
	return nil
}

// bindBytes binds an empty value as an empty blob: the columns are NOT NULL.
func bindBytes(stmt *sqlite.Stmt, param int, value []byte) {
	if len(value) == 0 {
		stmt.BindZeroBlob(param, 0)
		return
	}
	stmt.BindBytes(param, value)
}

// streamID returns a stream's row id, and inserts the stream when it is new. It runs in the writer's transaction.
func (l *Log) streamID(name string) (int64, error) {
	if id, ok := l.ids[name]; ok {
		return id, nil
	}
	if len(l.ids) >= maxKnownID {
		clear(l.ids)
	}
	id, found, err := queryInt(l.writer, "SELECT id FROM streams WHERE name = ?", name)
	if err == nil && !found {
		id, err = l.addStream(name)
	}
	if err != nil {
		return 0, err
	}
	l.ids[name] = id
	return id, nil
}

// addStream inserts a stream. A collapsed stream goes on after its last revision.
func (l *Log) addStream(name string) (id int64, err error) {
	var removed int64
	if l.collapses.Load() {
		if removed, err = collapsedEnd(l.writer, name); err != nil {
			return 0, err
		}
	}
	if err := sqlitex.Execute(l.writer, "INSERT INTO streams (name, removed) VALUES (?, ?)",
		&sqlitex.ExecOptions{Args: []any{name, removed}}); err != nil {
		return 0, err
	}
	if id = l.writer.LastInsertRowID(); removed > 0 {
		err = l.countRemoved(-removed)
	}
	return id, err
}

// queryInt returns the first column of a query for one row. found is false when there is no row, or NULL in that column.
func queryInt(conn *sqlite.Conn, query string, args ...any) (value int64, found bool, err error) {
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(stmt *sqlite.Stmt) error {
			value, found = stmt.ColumnInt64(0), !stmt.ColumnIsNull(0)
			return nil
		},
	})
	return value, found, err
}
