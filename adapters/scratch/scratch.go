// Package scratch keeps folders of working files and caches from growing for ever: what was last written long ago is removed.
// Everything in such a folder can be made again, so whoever misses a file makes it again. What the files are is not known
// here.
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

// Tidy removes the files below a folder that were last written before a time, and the folders in which nothing has changed
// since then and nothing is left; never the folder itself. A folder that does not exist is no error. Spec: Limits, Retention.
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
				_ = os.Remove(path) // it refuses a folder that is not empty
			}
			continue
		}
		if info.ModTime().Before(before) {
			problems = append(problems, missing(os.Remove(path)))
		}
	}
	return errors.Join(problems...)
}

// missing drops the error of a file that has gone meanwhile.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
