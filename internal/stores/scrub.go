package stores

import (
	"context"
	"errors"
	"path/filepath"

	"moviola/adapters/blobs"
	"moviola/internal/config"
)

// Scrub removes what is left of removed content in the SQLite files of an installation, those of the read models and of
// documents, and in their write-ahead logs. The read models must be open. Stores on servers are left alone. Each file is tried.
// The error joins those of all files that could not be scrubbed: wal.ErrInUse if a reader was in the way.
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
