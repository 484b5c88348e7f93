package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	step = 1 << 20 // number of bytes that are copied before the context is checked again
	// roomEvery is the number of bytes that are written before the free disk space is checked again.
	roomEvery = 16 << 20
	// staleAfter is the age from which a working file (a file that a delivery has not finished) counts as abandoned. The
	// time limit of a delivery is five minutes by default.
	staleAfter = time.Hour
	// sweepAtMost is the largest number of working files (files that deliveries have not finished) that are checked
	// before a delivery.
	sweepAtMost = 1000
)

// enter opens a folder in a folder, and creates it if it is missing. It follows no symbolic link, even if one replaces the folder
// between two calls.
func enter(at *os.Root, name string) (*os.Root, error) {
	before, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := syncRoot(at); err != nil {
			return nil, err
		}
		before, err = at.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, err
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, refused("a folder of its path is a link, and links are not followed")
	case !before.IsDir():
		return nil, refused("a file is in place of a folder of its path")
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := next.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = refused("a folder of its path was replaced while it was opened")
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// descend opens nested folders, one after the other.
func descend(base *os.Root, dirs []string) (*os.Root, error) {
	at, err := base.OpenRoot(".")
	for _, name := range dirs {
		if err != nil {
			return nil, err
		}
		var next *os.Root
		next, err = enter(at, name)
		err = errors.Join(err, at.Close())
		at = next
	}
	return at, err
}

// sweep removes working files left by killed processes. Files that it cannot remove do not stop the delivery.
func sweep(working *os.Root) {
	dir, err := working.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(sweepAtMost)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			_ = working.Remove(entry.Name())
		}
	}
}

// place is where one file is stored: its folder, and the folder in which it is written first.
type place struct {
	root    *os.Root // folder in which the file is stored
	working *os.Root // folder for files that are not finished yet
	room    func() (int64, error)
}

const taken = refused("a file of that name is there: give another name, or set overwrite")

// free refuses a name that is taken, before the file is written: that of a folder or, without overwrite, of anything but a
// regular file of the given size. put would refuse it only after writing the whole file.
func (p *place) free(name string, size int64, overwrite bool) error {
	there, err := p.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case there.IsDir():
		return refused("a folder of that name is there")
	case !overwrite && (!there.Mode().IsRegular() || there.Size() != size):
		return taken
	}
	return nil
}

// put writes a file under a temporary name and renames it. An existing file with the same content counts as success, because a
// delivery may be repeated after a crash.
func (p *place) put(ctx context.Context, name string, content io.Reader, size int64, overwrite bool) error {
	if err := p.hasRoom(size); err != nil {
		return err
	}
	working := rand.Text() + ".part"
	file, err := p.working.OpenFile(working, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	// removes the working file after a failure; after a success it has its final name
	defer func() { _ = p.working.Remove(working) }()
	written, err := p.write(ctx, file, source{content})
	switch {
	case err != nil:
		return err
	case written != size:
		return outside{fmt.Errorf("the video ends after %d of %d bytes", written, size)}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return p.name(ctx, file, working, name, overwrite)
}

// hasRoom refuses a number of bytes for which the disk has no room above its reserve.
func (p *place) hasRoom(size int64) error {
	left, err := p.room()
	if err == nil && left < size {
		err = noRoom
	}
	return err
}

// write copies the content and returns its length. It stops when the context ends or the disk is full.
func (p *place) write(ctx context.Context, file io.Writer, content io.Reader) (written int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if written%roomEvery == 0 {
			if err := p.hasRoom(0); err != nil {
				return written, err
			}
		}
		n, err := io.CopyN(file, content, step)
		written += n
		switch {
		case errors.Is(err, io.EOF):
			return written, nil
		case err != nil:
			return written, err
		}
	}
}

// name gives a working file its final name. It replaces an existing file only with overwrite.
func (p *place) name(ctx context.Context, file *os.File, working, name string, overwrite bool) error {
	from, err := p.working.Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := p.root.Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	old, in := int(from.Fd()), int(to.Fd())
	if overwrite {
		err = unix.Renameat(old, working, in, name)
	} else {
		err = unix.Renameat2(old, working, in, name, unix.RENAME_NOREPLACE)
		if cannot(err) { // some file systems, such as NFS, cannot rename without replacing
			err = unix.Linkat(old, working, in, name, 0)
			// Some file systems, such as exFAT, support neither renames with RENAME_NOREPLACE nor hard links.
			if cannot(err) || errors.Is(err, unix.EPERM) {
				return refused("the disk of the folder cannot promise to keep a file of that name: set overwrite")
			}
		}
	}
	switch {
	case errors.Is(err, unix.EEXIST):
		return equal(ctx, file, in, name)
	case errors.Is(err, unix.EXDEV):
		return refused("a folder of its path lies on another disk than the export folder")
	case err != nil:
		return err
	}
	return syncFolder(to)
}

// cannot reports whether an error says that the file system does not support an operation.
func cannot(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

// equal returns nil when name is the name of a regular file with the content of file.
func equal(ctx context.Context, file *os.File, in int, name string) error {
	fd, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return taken
	}
	there := os.NewFile(uintptr(fd), name)
	defer there.Close()
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	info, err := there.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != mine.Size() {
		return errors.Join(err, taken)
	}
	a, b := make([]byte, step), make([]byte, step)
	for at := int64(0); at < mine.Size(); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, errA := file.ReadAt(a, at)
		m, errB := there.ReadAt(b, at)
		if errA != nil && !errors.Is(errA, io.EOF) {
			return errA
		}
		if errB != nil && !errors.Is(errB, io.EOF) || !bytes.Equal(a[:n], b[:m]) {
			return taken
		}
	}
	return nil
}

// syncFolder makes the names in a folder durable. It ignores file systems that do not support that, such as some network shares.
func syncFolder(dir *os.File) error {
	if err := dir.Sync(); !cannot(err) {
		return err
	}
	return nil
}

func syncRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(dir), dir.Close())
}
