package assets

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
)

// Store shares downloads among the hosts of an installation that share no folder: adapters/blobs implements it.
type Store interface {
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns commands.ErrFileNotFound for a key that does not exist.
	Open(ctx context.Context, key string) (commands.File, error)
	Delete(ctx context.Context, key string) error
	// Walk calls visit for every key with a prefix, with the time when the file of the key was written.
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
}

// forgetTime is the time limit for removing an account's downloads from the store.
const forgetTime = time.Minute

// sharedVisit is the record of a download from an address, as it is stored in Config.Shared, the store through which
// hosts share their downloads.
type sharedVisit struct {
	visit
	Size int64 `json:"size"` // size of the file in bytes
}

// holder stands for the account in the keys of its shared downloads. Clients cannot download the files of these keys.
func (s accountFolder) holder() string { return filepath.Base(s.dir) }

func (s accountFolder) sharedVisit(address string) string {
	return blobkey.SourceVisit(s.holder(), hashText(address))
}

// takeShared brings a download from the store, usually another host's, into the account's folder, if it is recent enough
// and not older than since. It returns false when the store has none, and after an error, which it logs: the caller then
// asks the server.
func (c *Cache) takeShared(
	ctx context.Context, s accountFolder, address string, target *url.URL, since time.Time,
) (commands.Asset, bool) {
	if c.cfg.Shared == nil {
		return commands.Asset{}, false
	}
	asset, err := c.copyShared(ctx, s, address, target, since)
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) {
		c.cfg.Log.WithError(err).Warn("download of another host cannot be used; the source is downloaded here")
	}
	return asset, err == nil
}

func (c *Cache) copyShared(
	ctx context.Context, s accountFolder, address string, target *url.URL, since time.Time,
) (commands.Asset, error) {
	raw, err := c.readShared(ctx, s.sharedVisit(address), 64<<10)
	if err != nil {
		return commands.Asset{}, err
	}
	var known sharedVisit
	if err := json.Unmarshal(raw, &known); err != nil {
		return commands.Asset{}, fmt.Errorf("read what is known of a source: %w", err)
	}
	if !c.counts(known.visit) || known.At.Before(since) {
		return commands.Asset{}, commands.ErrFileNotFound
	}
	asset, ok := s.asset(known.Hash)
	if !ok {
		if err := c.copyFile(ctx, s, known); err != nil {
			return commands.Asset{}, err
		}
		if asset, err = c.examine(ctx, s, known.Hash, target); err != nil {
			return commands.Asset{}, err
		}
	}
	if err := writeJSON(s.visitPath(address), known.visit); err != nil {
		return commands.Asset{}, fmt.Errorf("note the download of asset %s: %w", known.Hash, err)
	}
	return asset, s.use(known.Hash)
}

// readShared reads a small file of the store. The parameter most is the largest number of bytes that it reads.
func (c *Cache) readShared(ctx context.Context, key string, most int64) ([]byte, error) {
	f, err := c.cfg.Shared.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, most))
	return raw, errors.Join(err, f.Close())
}

// copyFile copies a file of the store into the account's folder, if its content matches the hash in its name.
func (c *Cache) copyFile(ctx context.Context, s accountFolder, known sharedVisit) error {
	f, err := c.cfg.Shared.Open(ctx, blobkey.SourceFile(s.holder(), known.Hash, known.Size))
	if err != nil {
		return err
	}
	defer f.Close()
	temp, err := s.draft()
	if err != nil {
		return err
	}
	defer c.discard(temp)
	sum := sha256.New()
	write := c.room.Begin(filepath.Base(s.dir))
	defer write.Drop()
	size, err := io.Copy(io.MultiWriter(temp, sum), &roomy{ctx, io.LimitReader(f, c.cfg.MaxBytes+1), c, s, write})
	if err := errors.Join(err, temp.complete()); err != nil {
		return fmt.Errorf("copy asset %s: %w", known.Hash, err)
	}
	if size != known.Size || hex.EncodeToString(sum.Sum(nil)) != known.Hash {
		return fmt.Errorf("copy asset %s: it is not what it was", known.Hash)
	}
	fresh, err := s.keep(temp, known.Hash, size)
	if fresh && err == nil {
		write.Keep()
	}
	return err
}

// share uploads a download to the store: the file first, then its record. Errors are logged: this host has the file.
func (c *Cache) share(ctx context.Context, s accountFolder, address string, got visit) {
	if c.cfg.Shared == nil || got.At.IsZero() {
		return
	}
	if err := c.putShared(ctx, s, address, got); err != nil {
		c.cfg.Log.WithError(err).Warn("download not copied to the shared storage; other hosts download the source themselves")
	}
}

func (c *Cache) putShared(ctx context.Context, s accountFolder, address string, got visit) error {
	size, err := c.putFile(ctx, s, got.Hash, s.filePath(got.Hash))
	if err != nil {
		return err
	}
	raw, err := json.Marshal(sharedVisit{visit: got, Size: size})
	if err != nil {
		return err
	}
	return c.cfg.Shared.Put(ctx, s.sharedVisit(address), bytes.NewReader(raw))
}

// putFile uploads a file to the store, unless the store has the file, and returns its size in bytes.
func (c *Cache) putFile(ctx context.Context, s accountFolder, hash, path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	key := blobkey.SourceFile(s.holder(), hash, info.Size())
	if c.isShared(ctx, key) {
		return info.Size(), nil
	}
	return info.Size(), c.cfg.Shared.Put(ctx, key, f)
}

// isShared reports whether the store has a file, written less than the time to live ago. SweepShared removes files after twice
// the time to live, so it keeps such a file for as long as a download made now may be used, unless the store is full.
func (c *Cache) isShared(ctx context.Context, key string) bool {
	there, err := c.cfg.Shared.Open(ctx, key)
	if err != nil {
		return false
	}
	age := c.cfg.Now().Sub(there.ModTime())
	return errors.Join(there.Close()) == nil && age < c.cfg.TTL
}

// forgetShared removes the downloads of an account from the store.
func (c *Cache) forgetShared(account domain.AccountID) error {
	if c.cfg.Shared == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), forgetTime)
	defer cancel()
	var keys []string
	err := c.cfg.Shared.Walk(ctx, blobkey.SourcesOf(c.folderOf(account).holder()), func(key string, _ time.Time) error {
		keys = append(keys, key)
		return nil
	})
	for _, key := range keys {
		err = errors.Join(err, c.cfg.Shared.Delete(ctx, key))
	}
	return err
}

// SweepShared removes expired records and files from the store, and then the oldest files until the other files fit into
// MaxTotal bytes. Several hosts may run it at the same time.
func (c *Cache) SweepShared(ctx context.Context, now time.Time) error {
	if c.cfg.Shared == nil {
		return nil
	}
	var all []kept
	var lapsed []string
	err := c.cfg.Shared.Walk(ctx, blobkey.Sources.Prefix(), func(key string, written time.Time) error {
		age := now.Sub(written)
		switch _, size, isFile := blobkey.Content(key); {
		case age >= 2*c.cfg.TTL, !isFile && age >= c.cfg.TTL:
			lapsed = append(lapsed, key)
		case isFile:
			all = append(all, kept{key, size, written})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	var total int64
	for _, k := range all {
		total += k.size
	}
	for _, k := range all {
		if total <= c.cfg.MaxTotal {
			break
		}
		lapsed = append(lapsed, k.path)
		total -= k.size
	}
	for _, key := range lapsed {
		err = errors.Join(err, c.cfg.Shared.Delete(ctx, key))
	}
	return err
}
