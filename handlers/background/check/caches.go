package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"moviola/commands/storage"
	"moviola/domain"
)

// Cache is a folder of files that can be fetched or made again, with a folder for each account.
type Cache struct {
	What string // name of the cache's files in reports
	Dir  string
	// Examine finds the flaw of a file. When quick is true, it does not read the content.
	Examine func(path string, quick bool) (storage.Flaw, error)
	// Named returns the names of the files that the notes in a folder mention; a note is a JSON file that describes a file of
	// the cache. A file that is neither a note nor mentioned is an orphan. nil: files of this cache have no notes.
	Named func(folder string) (map[string]bool, error)
	// Folder returns the folder with the files of an account.
	Folder func(account domain.AccountID) string
}

// caches looks in the caches of this machine for damaged files, and for files that nothing needs. A folder that does not exist
// counts as empty.
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
			case errors.Is(err, fs.ErrNotExist): // the file was removed meanwhile
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

// cacheWalk is the state of a walk through a cache.
type cacheWalk struct {
	*checker
	cache    Cache
	departed map[string]bool // folders of accounts that are closed, by path
	noted    string          // folder whose notes were read last
	named    map[string]bool // names of the files that these notes mention
}

// folder is called for a folder of a cache. The folder of a closed account is an orphan: folder hands it to flaw, and
// skips what is in it.
func (w *cacheWalk) folder(path string, entry fs.DirEntry) error {
	if !w.departed[path] {
		return nil
	}
	flaw := storage.Flaw{Kind: storage.FlawOrphaned, Detail: "its account is closed", Remove: []string{path}}
	if err := w.flaw(w.cache, path, entry, flaw); err != nil {
		return err
	}
	return fs.SkipDir
}

func (w *cacheWalk) file(path string, entry fs.DirEntry) error {
	w.report.Cached++
	flaw, err := w.cache.Examine(path, w.Quick)
	if err != nil {
		return err
	}
	if flaw.Kind == "" && w.cache.Named != nil && filepath.Ext(path) != ".json" {
		named, err := w.mentions(path)
		if err != nil {
			return err
		}
		if !named {
			flaw = storage.Flaw{Kind: storage.FlawOrphaned, Detail: "no note names it", Remove: []string{path}}
		}
	}
	return w.flaw(w.cache, path, entry, flaw)
}

// mentions reports whether a note in the folder of a file mentions the file.
func (w *cacheWalk) mentions(path string) (bool, error) {
	if folder := filepath.Dir(path); folder != w.noted {
		named, err := w.cache.Named(folder)
		if err != nil {
			return false, err
		}
		w.noted, w.named = folder, named
	}
	return w.named[filepath.Base(path)], nil
}

// flaw adds a finding about a file or folder of a cache to the report. It adds none when the report is full, and none for
// an orphan (a file or folder that nothing needs) that is younger than Grace: the JSON note that mentions a file, for
// example, may not be written yet.
func (c *checker) flaw(cache Cache, path string, entry fs.DirEntry, flaw storage.Flaw) error {
	if flaw.Kind == "" || len(c.report.Findings) >= mostFindings {
		return nil
	}
	if flaw.Kind == storage.FlawOrphaned {
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

// evict removes files or folders of a cache.
func evict(paths []string) error {
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}
