package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"

	"golang.org/x/sys/unix"
)

// Walk calls visit for every key with a prefix, with the time when its file was last written. An error of visit ends the
// walk. The prefix is empty or ends with a slash. Unlike List it does not collect all keys in memory. Files that are added
// or removed meanwhile may be seen or not; a file that is just being replaced may be seen twice.
func (b *Bucket) Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error {
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		return fmt.Errorf("%w: %q is no folder", errBadKey, prefix)
	}
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	walks := []func(context.Context, string, func(string, time.Time) error) error{b.walkBucket}
	if b.dir != "" {
		walks = []func(context.Context, string, func(string, time.Time) error) error{b.shelf.walk, b.walkFolder}
	}
	for _, walk := range walks {
		if err := walk(ctx, prefix, visit); err != nil {
			return fmt.Errorf("walk files %s: %w", prefix, err)
		}
	}
	return nil
}

func (b *Bucket) walkBucket(ctx context.Context, prefix string, visit func(string, time.Time) error) error {
	for objects := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(object.Key, object.ModTime)
		}
		if err != nil {
			return err
		}
	}
}

// walkFolder visits the files below the folder of prefix. It reads the folders directly, because gocloud.dev/blob starts
// again at the top folder for every thousand files.
func (b *Bucket) walkFolder(ctx context.Context, prefix string, visit func(string, time.Time) error) error {
	return b.walkFiles(ctx, filepath.Join(b.dir, filepath.FromSlash(prefix)), func(path string, info os.FileInfo) error {
		inside, err := filepath.Rel(b.dir, path)
		if err != nil {
			return err
		}
		if key := filepath.ToSlash(inside); checkKey(key) == nil {
			return visit(key, info.ModTime())
		}
		return nil // a temporary file, or no file of ours
	})
}

// walkFiles calls visit for every file below a folder. Files that are removed meanwhile are skipped.
func (b *Bucket) walkFiles(ctx context.Context, dir string, visit func(path string, info os.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreMissing(err)
		}
		return visit(path, info)
	})
}

// Tidy removes temporary files and empty folders that were last changed before the given time: crashes leave such files. It
// walks the whole folder; in a bucket it does nothing.
func (b *Bucket) Tidy(ctx context.Context, before time.Time) error {
	if b.dir == "" {
		return nil
	}
	err := b.walkFiles(ctx, b.dir, func(path string, info os.FileInfo) error {
		if !strings.HasSuffix(path, tempSuffix) || !info.ModTime().Before(before) {
			return nil
		}
		return ignoreMissing(os.Remove(path))
	})
	if err == nil {
		err = b.removeEmpty(ctx, before)
	}
	if err != nil {
		return fmt.Errorf("tidy folder %s: %w", b.dir, err)
	}
	return nil
}

// lockTime is the longest time between creating and locking a temporary file.
const lockTime = 5 * time.Second

// RemoveAbandoned removes temporary files that killed processes have left: those that are not locked and older than
// lockTime. On a file system without locks it removes none. It walks the whole folder; in a bucket it does nothing.
func (b *Bucket) RemoveAbandoned(ctx context.Context) error {
	if b.dir == "" {
		return nil
	}
	now := time.Now()
	return b.walkFiles(ctx, b.dir, func(path string, info os.FileInfo) error {
		if !strings.HasSuffix(path, tempSuffix) || now.Sub(info.ModTime()) < lockTime || !abandoned(path) {
			return nil
		}
		return ignoreMissing(os.Remove(path))
	})
}

// abandoned reports whether a temporary file has no writer any more: its lock is free. It is false on file systems without
// locks.
func abandoned(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// removeEmpty removes empty folders. A concurrent write into one fails, and tries again.
func (b *Bucket) removeEmpty(ctx context.Context, before time.Time) error {
	return filepath.WalkDir(b.dir, func(path string, entry os.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !entry.IsDir() || path == b.dir {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			return ignoreMissing(err)
		}
		if os.Remove(path) == nil { // Remove fails for a folder that is not empty
			return filepath.SkipDir
		}
		return nil
	})
}

// ignoreMissing drops the error of a file that another process has moved or removed.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
