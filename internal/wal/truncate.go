// Package wal empties the write-ahead logs of SQLite files, which several processes may have open.
package wal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// tryTime limits one try: while it waits for readers of other processes, these processes cannot write.
	tryTime = 200 * time.Millisecond
	// pause is the time between two tries, in which other processes can write.
	pause = 100 * time.Millisecond
)

// ErrInUse says that the write-ahead log of a file could not be emptied: a reader needed it all the time.
var ErrInUse = errors.New("a long read in another process needs the write-ahead log")

// Truncate copies the write-ahead log of the connection's file into the file, and makes the log empty: what was removed from the
// file is not in the log any more either. Other processes may read and write meanwhile. Truncate tries again for the time within,
// and then returns ErrInUse. The connection must not be in a transaction.
func Truncate(ctx context.Context, conn *sqlite.Conn, within time.Duration) error {
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn.SetBusyTimeout(tryTime)
	defer conn.SetBlockOnBusy()
	for {
		emptied, err := try(conn)
		if emptied || err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-limit.Done():
			return errors.Join(ctx.Err(), ErrInUse)
		}
	}
}

// try makes one checkpoint that empties the log, and reports whether it could.
func try(conn *sqlite.Conn) (emptied bool, err error) {
	err = sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(TRUNCATE)", &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error { emptied = row.ColumnInt64(0) == 0; return nil },
	})
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("empty the write-ahead log: %w", err)
	}
	return emptied, nil
}
