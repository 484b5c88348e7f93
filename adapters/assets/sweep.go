package assets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"moviola/adapters/assets/examine"
	"moviola/domain"
	"moviola/internal/quota"
)

// inUse is how long after its last use a file is not removed, even if space is needed: a render may be about to link it.
const inUse = 10 * time.Minute

// kept is a file in an account's folder, or in the store: then path is its key, and used the time when it was written.
type kept struct {
	path string
	size int64
	used time.Time
}

// Forget removes all files of an account. Repeating it does nothing.
func (c *Cache) Forget(account domain.AccountID) error {
	s := c.folderOf(account)
	defer c.room.Removed(filepath.Base(s.dir))
	if err := errors.Join(os.RemoveAll(s.dir), c.forgetShared(account)); err != nil {
		return fmt.Errorf("forget assets: %w", err)
	}
	return nil
}

// Sweep removes files that were unused for the time to live, and then the least recently used ones until the rest fits into
// MaxTotal bytes, but none that was used in the last ten minutes. It removes aborted downloads after an hour, and the
// records of addresses after twice the time to live.
func (c *Cache) Sweep(ctx context.Context, now time.Time) error {
	var all []kept
	var failures []error
	err := filepath.WalkDir(c.cfg.Dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || entry.IsDir() {
			return passOver(err)
		}
		info, err := entry.Info()
		if err != nil {
			return passOver(err)
		}
		switch {
		case strings.HasPrefix(entry.Name(), ".new-"):
			if now.Sub(info.ModTime()) > time.Hour {
				failures = append(failures, removeIfThere(path))
			}
		case filepath.Base(filepath.Dir(path)) == "visits":
			// The record of a download is kept for longer than the time to live. It holds what the server is told, so
			// that it sends the file again only if the file has changed.
			if now.Sub(info.ModTime()) > 2*c.cfg.TTL {
				failures = append(failures, removeIfThere(path))
			}
		case filepath.Ext(path) != ".json":
			all = append(all, kept{path, info.Size(), lastUse(path, info)})
		}
		return nil
	})
	return errors.Join(append(failures, err, c.evict(all, now))...)
}

func passOver(err error) error {
	if errors.Is(err, fs.ErrNotExist) { // another process, which sweeps too, has removed the file
		return nil
	}
	return err
}

// lastUse returns when a file was last used. Each use sets the time of the notes (the .json file beside the file) to the
// present. For a file without notes, lastUse returns the time when the file was written.
func lastUse(path string, info fs.FileInfo) time.Time {
	if notes, err := os.Stat(strings.TrimSuffix(path, examine.ConvertedExtension) + ".json"); err == nil {
		return notes.ModTime()
	}
	return info.ModTime()
}

func (c *Cache) evict(all []kept, now time.Time) error {
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	var total int64
	for _, k := range all {
		total += k.size
	}
	var failures []error
	for _, k := range all {
		age := now.Sub(k.used)
		if age < inUse || age < c.cfg.TTL && total <= c.cfg.MaxTotal {
			continue
		}
		if err := k.remove(); err != nil {
			failures = append(failures, err)
			continue
		}
		c.room.Freed(filepath.Base(filepath.Dir(filepath.Dir(k.path))), quota.Amount{Bytes: k.size, Files: 1})
		total -= k.size
	}
	return errors.Join(failures...)
}
