package logfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite/sqlitex"
)

// Backup copies the log of a data folder into a new file: a consistent snapshot of the log, also while a server runs. When
// Backup returns without an error, the copy is compact, synced and verified; until then it has another name. To restore it,
// put it into an empty data folder under the name events.db.
func Backup(ctx context.Context, dir, to string) (report Report, err error) {
	partial := to + ".partial"
	defer func() {
		if err != nil {
			err = fmt.Errorf("back up %s: %w", dir, err)
		}
	}()
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return report, errors.Join(fmt.Errorf("%s is there already", to), err)
	}
	if err := vacuumInto(ctx, dir, partial); err != nil {
		return report, errors.Join(err, ignoreMissing(os.Remove(partial)))
	}
	if report, err = Verify(ctx, partial); err != nil {
		return report, err
	}
	if len(report.Problems) > 0 {
		return report, fmt.Errorf("the copy %s is not sound: %s", partial, report.Problems[0])
	}
	if err := os.Rename(partial, to); err != nil {
		return report, err
	}
	return report, SyncFolder(filepath.Dir(to))
}

// vacuumInto writes a log's content to a file and syncs it.
func vacuumInto(ctx context.Context, dir, to string) (err error) {
	source, err := inspect(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	// VACUUM begins its own transaction, so the running transaction is ended first
	if err := sqlitex.ExecuteTransient(source.conn, "COMMIT", nil); err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	target, err := checkedURI(to)
	if err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(source.conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{target}}); err != nil {
		return readError(source.path, err)
	}
	return file.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
