package stores

import (
	"context"
	"errors"
	"path/filepath"

	"moviola/adapters/blobs"
	"moviola/internal/config"
)

// Scrub makes deleted content unreadable in the SQLite files of the read models and of small files: bytes of deleted rows
// may still be in these files and in their write-ahead logs. The read models must be open. Scrub does nothing for read
// models and files that are stored on other servers. An error with one file does not keep Scrub from the next; it returns
// all errors joined. The error is wal.ErrInUse for a file whose write-ahead log another process was reading all the time.
func (s *Stores) Scrub(ctx context.Context, cfg config.Config) error {
	var errs []error
	if s.scrub != nil {
		errs = append(errs, s.scrub(ctx))
	}
	where := cfg.Blobs
	if where == "" {
		where = filepath.Join(cfg.Data, "files")
	}
	if dir, isDir := blobs.FolderOf(where); isDir {
		errs = append(errs, blobs.TruncateShelf(ctx, dir))
	}
	return errors.Join(errs...)
}
