package assets

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
)

// maxProven bounds how many files a checker remembers. Past that it forgets them all, and reads each again when it is used.
const maxProven = 100_000

// checker tells whether files of the cache are still what was downloaded. It reads a file once for as long as the file stays the
// same by inode, size and time: damage done by a program or a crash changes these, and damage of the disk is found by the next
// process.
type checker struct {
	log    logrus.FieldLogger
	mu     sync.Mutex
	proven map[string]identity // by path
}

// identity is what a file keeps for as long as nobody writes to it.
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

// intact says that the file at path passes a test, which is done unless the same file has passed it. A file that cannot be read
// has not.
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

// intact says whether a file of the shelf is what was downloaded, and a picture that was made of one can be decoded. What is
// damaged is removed and told to the operator: the caller fetches it again.
func (s shelf) intact(a commands.Asset) bool {
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
	log.Warn("a source in the cache is damaged: it is removed and fetched again; look at the disk when this is said of " +
		"several files")
	file := s.filePath(a.Hash)
	// the notes go first: a file without them is not used
	for _, path := range []string{file + ".json", file, file + convertedExtension} {
		if err := removeIfThere(path); err != nil {
			log.WithError(err).Error("a damaged source in the cache cannot be removed")
		}
	}
	return false
}
