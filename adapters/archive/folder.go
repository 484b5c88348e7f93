// Package archive stores backups in a folder. Only their owner can read them: files have the mode 0600, and folders that the
// package creates have the mode 0700.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unfinished is the prefix of the names of files that are being written.
const unfinished = ".unfinished-"

// Folder is a backup.Place in a folder.
type Folder struct{ dir string }

// NewFolder returns a Folder. The folder is created by the first Put.
func NewFolder(dir string) (*Folder, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find folder %s: %w", dir, err)
	}
	return &Folder{absolute}, nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// Put stores content under a name, atomically. The content is on disk when Put returns.
func (f *Folder) Put(ctx context.Context, name string, content io.Reader) (err error) {
	path := f.path(name)
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), unfinished) // CreateTemp gives the file the mode 0600
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder creates a folder and its parents, and syncs them to disk.
func makeFolder(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(dir))
}

func syncFolder(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Clear removes what interrupted calls of Put have left: unfinished files that were last written before a time.
func (f *Folder) Clear(ctx context.Context, before time.Time) error {
	err := filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || entry.IsDir() || !strings.HasPrefix(entry.Name(), unfinished) {
			return errors.Join(err, ctx.Err())
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // its backup has given it its name, or another one has removed it
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Open opens the file with a name; fs.ErrNotExist when there is none.
func (f *Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.path(name))
}

// List returns the names with a prefix, which ends with a slash.
func (f *Folder) List(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(f.path(prefix), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() || strings.HasPrefix(entry.Name(), unfinished):
			return nil
		}
		name, err := filepath.Rel(f.dir, path)
		if err == nil {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}
