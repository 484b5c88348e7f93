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

// Unfinished begins the names of files that are being written: they count for whoever writes them.
const Unfinished = ".new-"

// How much is removed at least when room is made, so that it is not made for every file.
const (
	bytesAhead = 64 << 20
	filesAhead = 64
)

// Folder holds bounds of a cache: a folder with one for each account. Where one is reached, what was used longest ago makes room,
// of the account for its own bound, of all for that of all. Files that are named alike but for their extension go together; they
// were used when the youngest was changed. It is safe for concurrent use; other processes may use the folder too.
type Folder struct {
	*Bound
	dir   string
	inUse time.Duration // how long after its last use a file stays, whatever room is needed
}

// NewFolder returns the bounds of a folder.
func NewFolder(dir string, limits Limits, inUse time.Duration) *Folder {
	f := &Folder{dir: dir, inUse: inUse}
	f.Bound = New(limits, f.measure)
	return f
}

// FileWrite is a file of a Folder that is being written. It belongs to one goroutine.
type FileWrite struct {
	*Write
	folder *Folder
}

// Begin begins a file in the folder of an account, as Bound.Begin does.
func (f *Folder) Begin(account string) *FileWrite { return &FileWrite{f.Bound.Begin(account), f} }

// Add counts bytes that are about to be written, and makes room for them.
func (w *FileWrite) Add(ctx context.Context, bytes int64) error {
	err := w.Write.Add(ctx, bytes)
	var full *FullError
	if !errors.As(err, &full) {
		return err
	}
	of := w.account
	if full.All {
		of = ""
	}
	all, err := w.folder.kept(ctx, filepath.Join(w.folder.dir, of))
	if err != nil {
		return err
	}
	w.folder.counted(of, sum(all)) // files that were replaced, or removed by others, count no more
	if err = w.Write.Add(ctx, bytes); !errors.As(err, &full) {
		return err
	}
	room := Amount{Bytes: max(bytes, min(bytesAhead, full.Limit/10))}
	if full.Files {
		room = Amount{Files: max(1, min(filesAhead, full.Limit/10))}
	}
	if err := w.folder.makeRoom(all, room); err != nil {
		return err
	}
	return w.Write.Add(ctx, bytes)
}

// Store counts a file that was written elsewhere, lets place put it into the folder, and keeps it when that succeeds.
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

// Writer is a writer to a file whose bytes are counted as they are written.
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

// Sweep removes what was not used since a moment.
func (f *Folder) Sweep(ctx context.Context, before time.Time) error {
	all, err := f.kept(ctx, f.dir)
	failures := []error{err}
	for _, k := range all {
		if ctx.Err() == nil && k.used.Before(before) {
			failures = append(failures, f.remove(k))
		}
	}
	return errors.Join(failures...)
}

// makeRoom removes what was used longest ago of what was found, until so much is free, and nothing that is in use.
func (f *Folder) makeRoom(all []kept, room Amount) error {
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.stem, b.stem)) })
	now := time.Now()
	for _, k := range all {
		if room.Bytes <= 0 && room.Files <= 0 || now.Sub(k.used) < f.inUse {
			return nil
		}
		if err := f.remove(k); err != nil {
			return err
		}
		room = room.minus(k.size)
	}
	return nil
}

// kept are files of a folder that are named alike but for their extension.
type kept struct {
	stem  string
	used  time.Time
	size  Amount
	paths []string
}

// remove removes files, notes first: what they describe is not used without them.
func (f *Folder) remove(k kept) error {
	account, err := filepath.Rel(f.dir, k.stem)
	if err != nil {
		return err
	}
	slices.SortFunc(k.paths, func(a, b string) int { return cmp.Compare(isNote(b), isNote(a)) })
	for _, path := range k.paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("make room in a cache: %w", err)
		}
	}
	account, _, _ = strings.Cut(filepath.ToSlash(account), "/")
	f.Freed(account, k.size)
	return nil
}

func isNote(path string) int {
	if filepath.Ext(path) == ".json" {
		return 1
	}
	return 0
}

// kept finds the files below a folder, but for those that are being written.
func (f *Folder) kept(ctx context.Context, dir string) ([]kept, error) {
	at := map[string]int{}
	var all []kept
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process removes too
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
		k.size, k.paths = k.size.plus(Amount{info.Size(), 1}), append(k.paths, path)
		if info.ModTime().After(k.used) {
			k.used = info.ModTime()
		}
		return nil
	})
	return all, err
}

// measure is what the files of an account come to, by the name of its folder; empty: those of all.
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
