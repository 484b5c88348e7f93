package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/internal/wal"
)

// scrubTime limits how long Scrub tries to empty the write-ahead log while others read.
const scrubTime = 30 * time.Second

// Scrub erases what removed documents have left in the file and in its write-ahead log: it returns unused database pages to
// the disk, and empties the write-ahead log. Other processes may use the file meanwhile. A file that was created by an
// earlier version of this program, and cannot return pages, is rewritten as a whole, and commits wait for that. Scrub
// returns wal.ErrInUse if the write-ahead log could not be emptied.
func (d *Documents) Scrub(ctx context.Context) error {
	if err := d.giveBack(ctx, 0); err != nil {
		return fmt.Errorf("scrub the file of the read models: %w", err)
	}
	err := d.withWriter(ctx, func(conn *sqlite.Conn) error {
		form, err := number(conn, "PRAGMA auto_vacuum")
		if err == nil && form == 0 {
			err = errors.Join(sqlitex.ExecuteTransient(conn, "PRAGMA auto_vacuum = INCREMENTAL", nil),
				sqlitex.ExecuteTransient(conn, "VACUUM", nil))
		}
		if err != nil {
			return err
		}
		return wal.Truncate(ctx, conn, scrubTime)
	})
	if err != nil {
		return fmt.Errorf("scrub the file of the read models: %w", err)
	}
	return nil
}
