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

// Scrub makes that neither the file nor its write-ahead log has anything of what was removed: it gives all unused pages back and
// empties the log. Other processes may use the file meanwhile; in a file that an earlier version has created, all pages are
// written anew first, and commits wait for that. It returns wal.ErrInUse if the log could not be emptied.
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
