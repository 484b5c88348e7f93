package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// PlainTable is a table that WritePlain writes for other programs.
type PlainTable struct {
	Name    string
	Columns []string // definitions of the columns: `"bytes" INTEGER`
	Indexes []string // columns of each index: `"account", "day"`
	// Rows calls insert for every row, with a value for each column: string, int64, float64 or nil.
	Rows func(insert func(values []any) error) error
}

// WritePlain writes tables into a new file that only this user may read. The file gets its name when it is complete. If a
// file with the name exists already, or another process is writing it, WritePlain returns an error.
func WritePlain(ctx context.Context, path string, tables []PlainTable) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: remove it, or name another file", path)
	}
	part := path + ".part"
	lock, err := takePart(part)
	if err != nil {
		return err
	}
	// The lock is released last: SQLite loses its own locks on a file when this process closes a descriptor of the file.
	defer func() {
		if err != nil {
			_ = os.Remove(part) // err already reports the failure
		}
		err = errors.Join(err, lock.Close())
	}()
	conn, err := sqlite.OpenConn("file:"+escape(part), sqlite.OpenReadWrite, sqlite.OpenURI)
	if err != nil {
		return fmt.Errorf("open %s: %w", part, err)
	}
	conn.SetInterrupt(ctx.Done())
	err = causeOf(ctx, fill(conn, tables))
	conn.SetInterrupt(nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// takePart creates the file in which tables are collected, or empties one that was left by an interrupted process, and locks it.
// The lock ends when the file is closed.
func takePart(part string) (*os.File, error) {
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	var mine, there os.FileInfo
	if err == nil {
		mine, err = file.Stat()
	}
	if err == nil {
		there, err = os.Stat(part)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, os.ErrNotExist), err == nil && !os.SameFile(mine, there):
		err = fmt.Errorf("another process is writing %s: wait for it, or name another file", part)
	case err == nil:
		err = errors.Join(file.Chmod(0o600), file.Truncate(0))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// fill writes the tables in one transaction, without a journal: an incomplete file is removed anyway.
func fill(conn *sqlite.Conn, tables []PlainTable) (err error) {
	for _, pragma := range []string{"PRAGMA journal_mode = OFF", cacheSize} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return err
		}
	}
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, table := range tables {
		if err := table.write(conn); err != nil {
			return fmt.Errorf("write %s: %w", table.Name, err)
		}
	}
	return nil
}

func (t PlainTable) write(conn *sqlite.Conn) error {
	create := fmt.Sprintf(`CREATE TABLE "%s" (%s) STRICT`, t.Name, strings.Join(t.Columns, ", "))
	if err := sqlitex.ExecuteTransient(conn, create, nil); err != nil {
		return err
	}
	insert := fmt.Sprintf(`INSERT INTO "%s" VALUES (?%s)`, t.Name, strings.Repeat(", ?", len(t.Columns)-1))
	err := t.Rows(func(values []any) error {
		return sqlitex.Execute(conn, insert, &sqlitex.ExecOptions{Args: values})
	})
	for i, columns := range t.Indexes {
		if err == nil {
			err = sqlitex.ExecuteTransient(conn, fmt.Sprintf(`CREATE INDEX "%s_%d" ON "%s" (%s)`, t.Name, i+1, t.Name, columns), nil)
		}
	}
	return err
}
