package render

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
	"syscall"
	"time"

	"moviola/domain"
	"moviola/internal/quota"
)

const (
	defaultCacheBytes = 20 << 30
	// inUse is how long after its last use Sweep does not remove a part, even if space is needed.
	inUse = 10 * time.Minute
	// linking is how long after its last use a part is not removed to make room for another one: an attempt has made its own link
	// by then.
	linking = time.Minute
	// unused is how long an unused part is kept.
	unused = 30 * 24 * time.Hour
)

// aliveName is the file in an attempt's folder that is locked while the attempt is at work.
const aliveName = "alive"

// markAlive locks the folder of an attempt for as long as the returned file is open.
func markAlive(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, aliveName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// dead reports whether no process works in the folder of an attempt.
func dead(dir string) bool {
	f, err := os.Open(filepath.Join(dir, aliveName))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Forget removes the cached parts of an account. Repeating it does nothing.
func (e *Engine) Forget(account domain.AccountID) error {
	folder := Folder(e.cfg.Dir, account)
	defer e.room.Removed(filepath.Base(folder))
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("forget rendered parts: %w", err)
	}
	return nil
}

// CacheFolder is the folder of cached parts, below the folder of an Engine.
func CacheFolder(dir string) string { return filepath.Join(dir, "cache") }

// Folder is the folder of an account's cached parts, below the folder of an Engine.
func Folder(dir string, account domain.AccountID) string {
	hash, _ := hashOf(account) // encoding of a text never fails
	return filepath.Join(CacheFolder(dir), hash[:32])
}

// Sweep removes the folders of attempts whose process has died, and cached parts that were unused for a month. Of the others it
// removes the least recently used ones until the rest fits into Config.CacheBytes.
func (e *Engine) Sweep(ctx context.Context, now time.Time) error {
	return errors.Join(e.sweepJobs(ctx, now), e.sweepCache(ctx, now), e.sweepFinished(now))
}

func (e *Engine) sweepJobs(ctx context.Context, now time.Time) error {
	folders, err := filepath.Glob(filepath.Join(e.cfg.Dir, "jobs", "*", "*"))
	if err != nil {
		return fmt.Errorf("look for dead attempts: %w", err)
	}
	var failures []error
	for _, folder := range folders {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// A folder that was just made may not be locked yet.
		if info, err := os.Stat(folder); err != nil || now.Sub(info.ModTime()) < time.Minute || !dead(folder) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			failures = append(failures, fmt.Errorf("remove a dead attempt: %w", err))
		}
		_ = os.Remove(filepath.Dir(folder)) // fails while another attempt is in it
	}
	return errors.Join(failures...)
}

// part is a file of the cache.
type part struct {
	path string
	size int64
	used time.Time
}

func (e *Engine) sweepCache(ctx context.Context, now time.Time) error {
	var parts []part
	var total int64
	err := filepath.WalkDir(filepath.Join(e.cfg.Dir, "cache"), func(path string, entry fs.DirEntry, err error) error {
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
		p := part{path, info.Size(), info.ModTime()}
		if notes, err := os.Stat(notesOf(path)); err == nil {
			p.used = notes.ModTime()
		}
		parts, total = append(parts, p), total+p.size
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the cache of windows: %w", err)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	var failures []error
	for _, p := range parts {
		age := now.Sub(p.used)
		if age < inUse || age < unused && total <= e.cfg.CacheBytes {
			continue
		}
		// The notes are removed first: a part without notes is not used.
		if err := errors.Join(removeIfThere(notesOf(p.path)), removeIfThere(p.path)); err != nil {
			failures = append(failures, fmt.Errorf("evict a window: %w", err))
			continue
		}
		total -= p.size
		e.room.Removed(filepath.Base(filepath.Dir(filepath.Dir(p.path))))
	}
	return errors.Join(failures...)
}

// Room is the usage of the bounded cache of rendered parts.
func (e *Engine) Room() *quota.Folder { return e.room }

func notesOf(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".json" }

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) { // another process that sweeps, too, has removed the file
		return nil
	}
	return err
}
