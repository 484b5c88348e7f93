package workspace

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

	"moviola/domain"
)

const (
	defaultBytes = 20 << 30
	// inUse is how long Sweep keeps a cached file after its last use, even if space is needed.
	inUse = 10 * time.Minute
	// linking is how long a cached file is kept after its last use, even if a new file needs its space. Within this time,
	// an attempt that uses the cached file has made its own hard link to it, so that removing the file does no harm.
	linking = time.Minute
	// unused is how long a cached file is kept that is not used.
	unused = 30 * 24 * time.Hour
)

// Forget removes the cached parts of an account. Repeating it does nothing.
func (s *Space) Forget(account domain.AccountID) error {
	folder := Folder(s.Dir, account)
	defer s.room.Removed(filepath.Base(folder))
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("forget rendered parts: %w", err)
	}
	return nil
}

// Sweep removes the folders of attempts whose process has died, the counts of finished windows that have not changed for
// a day, and cached parts that were unused for 30 days. Of the other parts it removes the least recently used ones until
// the rest fits into Bounds.Bytes, but none that was used in the last ten minutes.
func (s *Space) Sweep(ctx context.Context, now time.Time) error {
	return errors.Join(s.sweepJobs(ctx, now), s.sweepCache(ctx, now), s.sweepFinished(now))
}

func (s *Space) sweepJobs(ctx context.Context, now time.Time) error {
	folders, err := fs.Glob(os.DirFS(s.Dir), jobs+"/*/*") // s.Dir itself may contain characters of patterns
	if err != nil {
		return fmt.Errorf("look for dead attempts: %w", err)
	}
	var failures []error
	for _, name := range folders {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		folder := filepath.Join(s.Dir, name)
		// A folder that was just made may not be locked yet.
		if info, err := os.Stat(folder); err != nil || now.Sub(info.ModTime()) < time.Minute || !dead(folder) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			failures = append(failures, fmt.Errorf("remove a dead attempt: %w", err))
		}
		_ = os.Remove(filepath.Dir(folder)) // removes the folder of the movie, unless another attempt at it has a folder there
	}
	return errors.Join(failures...)
}

// cached is a file of the cache.
type cached struct {
	path string
	size int64
	used time.Time
}

func (s *Space) sweepCache(ctx context.Context, now time.Time) error {
	var parts []cached
	var total int64
	err := filepath.WalkDir(CacheFolder(s.Dir), func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".json" {
			return unlessGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return unlessGone(err)
		}
		p := cached{path, info.Size(), info.ModTime()}
		if notes, err := os.Stat(notesOf(path)); err == nil {
			p.used = notes.ModTime()
		}
		parts, total = append(parts, p), total+p.size
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the cache of windows: %w", err)
	}
	slices.SortFunc(parts, func(a, b cached) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	var failures []error
	for _, p := range parts {
		age := now.Sub(p.used)
		if age < inUse || age < unused && total <= s.bounds.Bytes {
			continue
		}
		// The notes are removed first: a part without notes is not used.
		if err := errors.Join(removeIfThere(notesOf(p.path)), removeIfThere(p.path)); err != nil {
			failures = append(failures, fmt.Errorf("evict a window: %w", err))
			continue
		}
		total -= p.size
		s.room.Removed(filepath.Base(filepath.Dir(filepath.Dir(p.path))))
	}
	return errors.Join(failures...)
}

func notesOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".json" }

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) { // another process, which sweeps too, has removed the file
		return nil
	}
	return err
}
