package assets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/assets/examine"
	"moviola/commands"
)

// maxProven is the largest number of files that a checker remembers. Beyond it, it forgets all and checks each file again at its
// next use.
const maxProven = 100_000

// checker checks that files of the cache are undamaged. A file that it has found undamaged is read again when its inode,
// size or time have changed, or when the checker has forgotten it. Damage that changes none of these, such as that of the
// disk, may be found only by the next process.
type checker struct {
	log    logrus.FieldLogger
	mu     sync.Mutex
	proven map[string]identity // files found undamaged, by path
}

// identity serves to find out whether a file was written in the meantime: a write usually changes the identity of the file.
type identity struct {
	inode uint64
	size  int64
	time  time.Time
}

func identify(info fs.FileInfo) identity {
	id := identity{size: info.Size(), time: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.inode = stat.Ino
	}
	return id
}

// intact runs test on the file at path, unless the unchanged file has passed it before. A file that cannot be read fails.
func (c *checker) intact(path string, test func() error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	id := identify(info)
	c.mu.Lock()
	known, ok := c.proven[path]
	c.mu.Unlock()
	if ok && known == id {
		return nil
	}
	if err := test(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proven == nil || len(c.proven) >= maxProven {
		c.proven = map[string]identity{}
	}
	c.proven[path] = id
	return nil
}

var errNotTheDownload = errors.New("its content has not the SHA-256 of what was downloaded")

// intact reports whether the file of an asset is undamaged: a converted picture can be decoded, any other file has its
// hash. A damaged file is removed if possible, and logged for the operator; it is fetched again when a movie or preview
// needs it.
func (s accountFolder) intact(a commands.Asset) bool {
	err := s.files.intact(a.Path, func() error {
		if a.Converted {
			return decodes(a.Path)
		}
		sum, err := commands.HashOfFile(a.Path)
		if err == nil && sum != a.Hash {
			err = errNotTheDownload
		}
		return err
	})
	if err == nil {
		return true
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	log := s.files.log.WithError(err).WithField("asset", a.Hash)
	log.Warn("a source in the cache is damaged; it is removed and fetched again. If several are damaged, check the disk")
	file := s.filePath(a.Hash)
	// The notes (the .json file) are removed first: without its notes, a source is not used any more, even if its file
	// cannot be removed.
	for _, path := range []string{file + ".json", file, file + examine.ConvertedExtension} {
		if err := removeIfThere(path); err != nil {
			log.WithError(err).Error("a damaged source in the cache cannot be removed; it is not used, and fetched again")
		}
	}
	return false
}

// examine examines a new file in the account's folder, and stores the result in its notes (a JSON file with the same name).
func (c *Cache) examine(ctx context.Context, s accountFolder, hash string, target *url.URL) (commands.Asset, error) {
	path := s.filePath(hash)
	asset, err := c.sources.Examine(ctx, path, hash, target)
	if err == nil && asset.Converted {
		err = c.countConverted(ctx, s, asset.Path, target)
	}
	if err != nil {
		return commands.Asset{}, err
	}
	if err := writeJSON(path+".json", asset); err != nil {
		return commands.Asset{}, fmt.Errorf("note facts of asset %s: %w", hash, err)
	}
	return asset, nil
}

// countConverted counts a converted picture towards the bounds, and removes it if there is no room for it.
func (c *Cache) countConverted(ctx context.Context, s accountFolder, path string, target *url.URL) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("store asset: %w", err)
	}
	write := c.room.Begin(filepath.Base(s.dir))
	defer write.Drop()
	if err := c.claim(ctx, s, write, info.Size()); err != nil {
		return tooMuch(target, errors.Join(err, removeIfThere(path)))
	}
	write.Keep()
	return nil
}
