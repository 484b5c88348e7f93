// Package workspace is what a renderer has on the disk of its host: a folder for each running attempt at a movie, preload
// item or preview, the cache of rendered parts, and the number of recently finished windows of each movie. Several
// processes of one host may share it.
package workspace

import (
	"fmt"
	"os"
	"path/filepath"

	"moviola/domain"
	"moviola/internal/quota"
)

// Bounds are the limits of the cache of rendered parts.
type Bounds struct {
	// Bytes is the size to which Sweep reduces the cache; 0: 20 GiB.
	Bytes int64
	// Room bounds the cached parts already when they are written; the least recently used ones are removed.
	Room quota.Limits
}

// Space is the folder of a renderer. It is safe for concurrent use.
type Space struct {
	Dir    string // absolute path of the folder
	bounds Bounds
	room   *quota.Folder
}

// jobs is the folder of the attempts, below the folder of a renderer.
const jobs = "jobs"

// Open returns the workspace in a folder, which it creates.
func Open(dir string, bounds Bounds) (*Space, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find render folder: %w", err)
	}
	if bounds.Bytes <= 0 {
		bounds.Bytes = defaultBytes
	}
	for _, sub := range []string{filepath.Join(dir, jobs), CacheFolder(dir), filepath.Join(dir, finishedFolder)} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return nil, fmt.Errorf("make render folder: %w", err)
		}
	}
	return &Space{Dir: dir, bounds: bounds, room: quota.NewFolder(CacheFolder(dir), bounds.Room, linking)}, nil
}

// Parts returns the cache of an account's rendered parts.
func (s *Space) Parts(account domain.AccountID) Parts {
	return Parts{dir: Folder(s.Dir, account), room: s.room}
}

// Room is the usage of the bounded cache of rendered parts.
func (s *Space) Room() *quota.Folder { return s.room }

// CacheFolder is the folder of cached parts, below the folder of an Engine.
func CacheFolder(dir string) string { return filepath.Join(dir, "cache") }

// Folder is the folder of an account's cached parts, below the folder of an Engine.
func Folder(dir string, account domain.AccountID) string {
	hash, _ := Key(account) // encoding of a text never fails
	return filepath.Join(CacheFolder(dir), hash[:32])
}
