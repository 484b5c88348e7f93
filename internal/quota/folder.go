package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Unfinished is the prefix of the names of files that are being written. Such files are counted by their writer.
const Unfinished = ".new-"

// The amounts that are freed at once, so that space is not freed for every file. A tenth of the limit is freed if that is
// less, but at least the size of the write.
const (
	bytesAhead = 64 << 20
	filesAhead = 64
)

// Folder bounds a cache in a folder with one subfolder per account. At a bound it removes the least recently used files:
// the account's own for the account's bound, all accounts' for the total bound. It keeps files that were used less than
// inUse ago. Files of a subfolder whose names differ only in the extension are one group; its time of use is the newest
// modification. It is safe for concurrent use; other processes may use the folder too.
type Folder struct {
	*Bound
	dir   string
	inUse time.Duration // how long after its last use a file is not removed, even if space is needed
}

// NewFolder returns a Folder that bounds the folder dir. inUse is how long after its last use a file is not removed.
func NewFolder(dir string, limits Limits, inUse time.Duration) *Folder {
	f := &Folder{dir: dir, inUse: inUse}
	f.Bound = New(limits, f.measure)
	return f
}

// FileWrite is a write of a file in a Folder. It belongs to one goroutine.
type FileWrite struct {
	*Write
	folder *Folder
}

// Begin begins a file in the folder of an account, as Bound.Begin does.
func (f *Folder) Begin(account string) *FileWrite { return &FileWrite{f.Bound.Begin(account), f} }

// Add counts bytes that are about to be written. If they exceed the bound of the account, the total bound or both, also
// after a new measurement, Add removes the least recently used files under each exceeded bound. It returns a *FullError if
// that does not free enough space.
func (w *FileWrite) Add(ctx context.Context, bytes int64) error {
	err := w.try(ctx, bytes)
	if full := asFull(err); full != nil {
		err = w.addFreeing(ctx, bytes, full)
		if next := asFull(err); next != nil && next.All != full.All {
			err = w.addFreeing(ctx, bytes, next)
		}
	}
	return w.bound.refuse(err)
}

// addFreeing adds bytes after the refusal full, which is from the bound of the account or, if full.All is true, from the
// total bound. First it measures the files under this bound again, because other processes may have removed some, and
// tries to add the bytes. If they still do not fit under this bound, it removes files, and tries once more.
func (w *FileWrite) addFreeing(ctx context.Context, bytes int64, full *FullError) error {
	of := w.account
	if full.All {
		of = ""
	}
	all, err := w.folder.kept(ctx, filepath.Join(w.folder.dir, of))
	if err != nil {
		return err
	}
	w.folder.counted(of, sum(all)) // corrects the known usage: other processes may have replaced or removed files
	err = w.try(ctx, bytes)
	still := asFull(err)
	if still == nil || still.All != full.All {
		return err
	}
	room := Amount{Bytes: max(bytes, min(bytesAhead, still.Limit/10))}
	if still.Files {
		room = Amount{Files: max(1, min(filesAhead, still.Limit/10))}
	}
	if err := w.folder.makeRoom(all, room); err != nil {
		return err
	}
	return w.try(ctx, bytes)
}

// Store counts a file that is written elsewhere, and calls place, which puts it into the folder. If place fails the file is not
// counted.
func (f *Folder) Store(ctx context.Context, account string, size int64, place func() error) error {
	w := f.Begin(account)
	defer w.Drop()
	if err := w.Add(ctx, size); err != nil {
		return err
	}
	if err := place(); err != nil {
		return err
	}
	w.Keep()
	return nil
}

// Writer returns a writer that counts bytes before it passes them on to the given writer.
func (w *FileWrite) Writer(ctx context.Context, to io.Writer) io.Writer {
	return &countedWriter{ctx, w, to}
}

type countedWriter struct {
	ctx   context.Context
	write *FileWrite
	to    io.Writer
}

// Write implements io.Writer.
func (w *countedWriter) Write(p []byte) (int, error) {
	if err := w.write.Add(w.ctx, int64(len(p))); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// Sweep removes files that were not used since a time.
func (f *Folder) Sweep(ctx context.Context, before time.Time) error {
	all, err := f.kept(ctx, f.dir)
	failures := []error{err}
	for _, k := range all {
		if ctx.Err() == nil && k.used.Before(before) {
			_, err := f.remove(k)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// makeRoom removes files, the least recently used first. all are the files in groups of equal names without the extension;
// a group is removed as a whole. makeRoom stops when the amount room is freed, or when only groups are left that were used
// less than f.inUse ago.
func (f *Folder) makeRoom(all []kept, room Amount) error {
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.stem, b.stem)) })
	now := time.Now()
	for _, k := range all {
		if room.Bytes <= 0 && room.Files <= 0 || now.Sub(k.used) < f.inUse {
			return nil
		}
		gone, err := f.remove(k)
		if err != nil {
			return err
		}
		room = room.minus(gone)
	}
	return nil
}

// kept is a group of files of a folder whose names differ only in the extension.
type kept struct {
	stem  string
	used  time.Time
	size  Amount
	files []keptFile
}

type keptFile struct {
	path string
	size int64
}

// remove removes a group of files, and returns what this has freed: not the files that others have removed meanwhile. Notes
// (JSON files) are removed first: the files are not used without them.
func (f *Folder) remove(k kept) (gone Amount, err error) {
	account, err := filepath.Rel(f.dir, k.stem)
	if err != nil {
		return gone, err
	}
	account, _, _ = strings.Cut(filepath.ToSlash(account), "/")
	defer func() { f.Freed(account, gone) }()
	slices.SortFunc(k.files, func(a, b keptFile) int { return cmp.Compare(isNote(b.path), isNote(a.path)) })
	for _, file := range k.files {
		err := os.Remove(file.path)
		if errors.Is(err, fs.ErrNotExist) {
			f.Removed(account) // by another process, perhaps: then the next measurement finds it out
			continue
		}
		if err != nil {
			return gone, fmt.Errorf("make room in a cache: %w", err)
		}
		gone = gone.plus(Amount{file.size, 1})
	}
	return gone, nil
}

func isNote(path string) int {
	if filepath.Ext(path) == ".json" {
		return 1
	}
	return 0
}

// kept returns the files below the folder dir in groups: files whose names differ only in the extension are one group. It
// leaves out files that are being written.
func (f *Folder) kept(ctx context.Context, dir string) ([]kept, error) {
	at := map[string]int{}
	var all []kept
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process has removed the file
			return nil
		}
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), Unfinished) {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		stem := strings.TrimSuffix(path, filepath.Ext(path))
		i, known := at[stem]
		if !known {
			i = len(all)
			at[stem], all = i, append(all, kept{stem: stem})
		}
		k := &all[i]
		k.size, k.files = k.size.plus(Amount{info.Size(), 1}), append(k.files, keptFile{path, info.Size()})
		if info.ModTime().After(k.used) {
			k.used = info.ModTime()
		}
		return nil
	})
	return all, err
}

// measure returns the usage of the account whose folder has the name account; empty: of all accounts.
func (f *Folder) measure(ctx context.Context, account string) (Amount, error) {
	all, err := f.kept(ctx, filepath.Join(f.dir, account))
	return sum(all), err
}

func sum(all []kept) Amount {
	var sum Amount
	for _, k := range all {
		sum = sum.plus(k.size)
	}
	return sum
}
