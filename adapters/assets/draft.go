package assets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// draft is a download that is being written. If the file system supports it the file has no name, so that nothing remains when
// the process dies.
type draft struct {
	*os.File
	path string // path of the file; if the file has no name, that of its descriptor in /proc
	name string // temporary name; empty: the file has no name
}

// draft begins a file in the account's folder. discard must follow.
func (s accountFolder) draft() (*draft, error) {
	dir := filepath.Join(s.dir, "files")
	if fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600); err == nil {
		path := fmt.Sprintf("/proc/self/fd/%d", fd)
		if _, err := os.Stat(path); err == nil {
			return &draft{File: os.NewFile(uintptr(fd), path), path: path}, nil
		}
		// A file without a name can get one later only through /proc, which is missing here. So a temporary file with a
		// name is created below instead.
		_ = unix.Close(fd)
	}
	file, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("store asset: %w", err)
	}
	return &draft{File: file, path: file.Name(), name: file.Name()}, nil
}

// complete closes a draft with a name. A draft without a name stays open, because it would disappear when it is closed.
func (d *draft) complete() error {
	if d.name == "" {
		return nil
	}
	return d.Close()
}

// link gives the file the name path. It fails if another file has that name.
func (d *draft) link(path string) error {
	return unix.Linkat(unix.AT_FDCWD, d.path, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

// replace gives the file the name path, and replaces another file that has the name.
func (d *draft) replace(path string) error {
	if d.name != "" {
		return os.Rename(d.name, path)
	}
	beside := path + ".new"
	if err := errors.Join(removeIfThere(beside), d.link(beside)); err != nil {
		return err
	}
	return os.Rename(beside, path)
}

// discard closes the file and removes its temporary name.
func (d *draft) discard() error {
	if d.name == "" {
		return d.Close()
	}
	_ = d.Close() // the file may be closed already
	return removeIfThere(d.name)
}
