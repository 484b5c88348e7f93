package stores

import (
	"context"
	"errors"
	"path/filepath"

	"moviola/adapters/blobs"
	"moviola/internal/config"
)

// Scrub makes that the SQLite files of an installation, those of the read models and of documents, and their write-ahead logs
// have nothing of what was removed from them. The read models must be open. Stores on servers are left alone. Each file is
// tried; the error is that of all files that could not be scrubbed, wal.ErrInUse among them if a reader was in the way.
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
