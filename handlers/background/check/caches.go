package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"moviola/commands"
	"moviola/domain"
)

// Cache is a folder of files that can be made again, with a folder for each account.
type Cache struct {
	What string // its files are, for people
	Dir  string
	// Examine says what is wrong with a file. Quick leaves the content unread.
	Examine func(path string, quick bool) (commands.Flaw, error)
	// Named are the files that the notes in a folder name, by their names: a file that is neither is nobody's. nil: every file
	// stands for itself.
	Named func(folder string) (map[string]bool, error)
	// Folder is where the files of an account are.
	Folder func(account domain.AccountID) string
}

// caches looks at what is kept on this machine to be used again. A folder that does not exist is empty.
func (c *checker) caches(ctx context.Context) error {
	for _, cache := range c.Caches {
		walk := cacheWalk{checker: c, cache: cache, departed: make(map[string]bool, len(c.inventory.departed))}
		for account := range c.inventory.departed {
			walk.departed[cache.Folder(account)] = true
		}
		err := filepath.WalkDir(cache.Dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.Is(err, fs.ErrNotExist): // it was removed meanwhile
				return nil
			case err != nil:
				return err
			case entry.IsDir():
				return walk.folder(path, entry)
			}
			return walk.file(path, entry)
		})
		if err != nil {
			return fmt.Errorf("look through the cache in %s: %w", cache.Dir, err)
		}
	}
	return nil
}

// cacheWalk goes through a cache.
type cacheWalk struct {
	*checker
	cache    Cache
	departed map[string]bool // folders of accounts that are closed
	named    map[string]bool // files that the notes in the folder that is being walked name
}

// folder leaves those of closed accounts out, whole.
func (w *cacheWalk) folder(path string, entry fs.DirEntry) (err error) {
	if w.departed[path] {
		flaw := commands.Flaw{Kind: commands.FlawOrphaned, Detail: "its account is closed", Remove: []string{path}}
		if err := w.flaw(w.cache, path, entry, flaw); err != nil {
			return err
		}
		return fs.SkipDir
	}
	w.named, err = namedIn(w.cache, path)
	return err
}

func (w *cacheWalk) file(path string, entry fs.DirEntry) error {
	w.report.Cached++
	flaw, err := w.cache.Examine(path, w.Quick)
	if err != nil {
		return err
	}
	if flaw.Kind == "" && w.cache.Named != nil && filepath.Ext(path) != ".json" && !w.named[entry.Name()] {
		flaw = commands.Flaw{Kind: commands.FlawOrphaned, Detail: "no note names it", Remove: []string{path}}
	}
	return w.flaw(w.cache, path, entry, flaw)
}

func namedIn(cache Cache, folder string) (map[string]bool, error) {
	if cache.Named == nil {
		return nil, nil
	}
	return cache.Named(folder)
}

// flaw takes in what is wrong with a file of a cache. What is nobody's is left while it is young: it may be about to be noted.
func (c *checker) flaw(cache Cache, path string, entry fs.DirEntry, flaw commands.Flaw) error {
	if flaw.Kind == "" || len(c.report.Findings) >= mostFindings {
		return nil
	}
	if flaw.Kind == commands.FlawOrphaned {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.ModTime().Before(c.Now().Add(-c.Grace)) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	c.found(Finding{
		Kind: flaw.Kind, What: cache.What, Name: path, Detail: flaw.Detail,
		Remedy: "--repair removes it; it is made again when it is wanted",
		remove: flaw.Remove,
	})
	return nil
}

// evict removes what a flaw of a cache takes to be repaired.
func evict(paths []string) error {
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}
