package assets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"moviola/adapters/assets/examine"
	"moviola/domain"
	"moviola/internal/quota"
)

// codeStorage is the code of the error for accounts whose downloads take too much space.
const codeStorage = "asset_storage_full"

// The amounts that are freed at once, in bytes and files, so that space is not freed for every piece of a download. If a
// tenth of the bound is less, that tenth is freed.
const (
	ahead      = 64 << 20
	filesAhead = 64
)

// roomy is a download whose bytes are counted before they are written.
type roomy struct {
	ctx    context.Context
	from   io.Reader
	cache  *Cache
	folder accountFolder
	write  *quota.Write
}

// Read implements io.Reader.
func (r *roomy) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if full := r.cache.claim(r.ctx, r.folder, r.write, int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// claim counts bytes that are about to be written. At a bound it removes the least recently used files, except for those in
// use: files of the account for the account's bound, files of all accounts for the total bound.
func (c *Cache) claim(ctx context.Context, s accountFolder, w *quota.Write, bytes int64) error {
	err := w.Add(ctx, bytes)
	var full *quota.FullError
	if !errors.As(err, &full) {
		return err
	}
	dir := s.dir
	if full.All {
		dir = c.cfg.Dir
	}
	room := quota.Amount{Bytes: max(bytes, min(ahead, full.Limit/10))}
	if full.Files {
		room = quota.Amount{Files: max(1, min(filesAhead, full.Limit/10))}
	}
	if err := c.makeRoom(ctx, dir, room); err != nil {
		return err
	}
	return w.Add(ctx, bytes)
}

// tooMuch returns the client's error when the downloads of an account have reached its bound. Any other error is wrapped: also
// that of the total bound of all accounts, which may be temporary.
func tooMuch(target *url.URL, err error) error {
	var full *quota.FullError
	if !errors.As(err, &full) || full.All {
		return fmt.Errorf("store asset: %w", err)
	}
	return domain.Errorf(domain.Invalid, codeStorage, "The file at '%s' cannot be kept: the sources that the account has "+
		"used in the last %.0f minutes "+
		"take %s, as much as they may. Use fewer or smaller ones at a time.", examine.Shown(target), inUse.Minutes(), full.Bound())
}

// makeRoom removes the least recently used files below a folder until the given amount is free. Files in use are not removed.
func (c *Cache) makeRoom(ctx context.Context, dir string, room quota.Amount) error {
	all, err := keptBelow(ctx, dir)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	now := c.cfg.Now()
	for _, k := range all {
		if room.Bytes <= 0 && room.Files <= 0 || now.Sub(k.used) < inUse {
			return nil
		}
		if err := k.remove(); err != nil {
			return err
		}
		c.room.Freed(filepath.Base(filepath.Dir(filepath.Dir(k.path))), quota.Amount{Bytes: k.size, Files: 1})
		room.Bytes -= k.size
		room.Files--
	}
	return nil
}

// measure returns the usage of an account, by the name of its folder; empty: of all accounts.
func (c *Cache) measure(ctx context.Context, folder string) (quota.Amount, error) {
	all, err := keptBelow(ctx, filepath.Join(c.cfg.Dir, folder))
	sum := quota.Amount{Files: int64(len(all))}
	for _, k := range all {
		sum.Bytes += k.size
	}
	return sum, err
}

// keptBelow returns the files below a folder, without temporary files, notes and the records of downloads.
func keptBelow(ctx context.Context, dir string) ([]kept, error) {
	var all []kept
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || entry.IsDir() {
			if err == nil && entry.Name() == "visits" {
				return filepath.SkipDir
			}
			return passOver(err)
		}
		if filepath.Ext(path) == ".json" || strings.HasPrefix(entry.Name(), ".new-") {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return passOver(err)
		}
		all = append(all, kept{path, info.Size(), lastUse(path, info)})
		return nil
	})
	return all, err
}

// remove removes a file. If the file is a source, its notes (the .json file beside it) are removed first, because a
// source without notes is not used any more. A converted picture has no notes of its own, and the notes of its source
// stay.
func (k kept) remove() error {
	if err := errors.Join(removeIfThere(k.path+".json"), removeIfThere(k.path)); err != nil {
		return fmt.Errorf("evict asset: %w", err)
	}
	return nil
}

// defaultAccount is the default bound for the sources of one account in bytes.
const defaultAccount = 20 << 30
