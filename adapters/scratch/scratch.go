// Package scratch bounds folders of working files and caches: it removes files that were last written long ago. All files in such
// a folder can be made again when they are missing. The package does not interpret them.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Tidy removes files below a folder that were last written before a time, and subfolders that are empty and unchanged since then,
// but never the folder itself. A missing folder is no error. Spec: Limits, Retention.
func Tidy(ctx context.Context, dir string, before time.Time) error {
	err := tidy(ctx, dir, before)
	if err != nil {
		return fmt.Errorf("tidy folder %s: %w", dir, err)
	}
	return nil
}

func tidy(ctx context.Context, dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return missing(err)
	}
	var problems []error
	for _, entry := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := entry.Info()
		if err != nil {
			problems = append(problems, missing(err))
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() {
			if err := tidy(ctx, path, before); err != nil {
				problems = append(problems, err)
				continue
			}
			if info.ModTime().Before(before) {
				_ = os.Remove(path) // os.Remove refuses a folder that is not empty: such a folder stays
			}
			continue
		}
		if info.ModTime().Before(before) {
			problems = append(problems, missing(os.Remove(path)))
		}
	}
	return errors.Join(problems...)
}

// missing ignores the error for a file that was removed meanwhile.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
