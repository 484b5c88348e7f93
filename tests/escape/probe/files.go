package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

var fileRows = []row{
	{"read the secret", func(w world) error { return read(w.Data + "/secret") }},
	{"read the log of events", func(w world) error { return read(w.Data + "/events.db") }},
	{"read another job's source", func(w world) error { return read(filepath.Join(w.Data, "work", "other", "source")) }},
	{"list the data folder", func(w world) error { return list(w.Data, "secret") }},
	{"write to the log of events", func(w world) error { return write(w.Data+"/events.db", os.O_WRONLY|os.O_APPEND) }},
	{"create a file in the data folder", func(w world) error { return write(w.Data+"/new", os.O_WRONLY|os.O_CREATE) }},
	{"delete a file of the data folder", func(w world) error { return os.Remove(w.Data + "/delete") }},
	{"rename a file of the data folder", func(w world) error { return os.Rename(w.Data+"/rename", w.Data+"/renamed") }},
	{"change the mode of a file", func(w world) error { return os.Chmod(w.Data+"/secret", 0o644) }},
	{"truncate a file", func(w world) error { return os.Truncate(w.Data+"/truncate", 0) }},
	{"link a file into the job's folder", func(w world) error { return os.Link(w.Data+"/secret", filepath.Join(w.Job, "link")) }},
	{"read through a link of the job's folder", func(w world) error {
		link := filepath.Join(w.Job, "symlink")
		_ = os.Remove(link)
		if err := os.Symlink(w.Data+"/secret", link); err != nil {
			return err
		}
		return read(link)
	}},
	{"watch the data folder", func(w world) error {
		fd, err := unix.InotifyInit1(0)
		if err != nil {
			return err
		}
		_, err = unix.InotifyAddWatch(fd, w.Data, unix.IN_ALL_EVENTS)
		return err
	}},
	{"name a file by its handle", func(w world) error {
		_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Data+"/secret", 0)
		return err
	}},
	{"open a file by its handle", func(w world) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Data+"/secret", 0)
		if err != nil {
			return err
		}
		folder, err := unix.Open(w.Data, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(folder, handle, unix.O_RDONLY)
		return err
	}},
	{"read a file at home", func(w world) error { return read(w.Home) }},
	{"read /etc/shadow", func(world) error { return read("/etc/shadow") }},
	{"open /etc/passwd for writing", func(world) error { return write("/etc/passwd", os.O_WRONLY) }},
	{"list /etc", func(world) error { return list("/etc", "shadow") }},
	{"create a file in a shared folder", func(w world) error { return write(w.Shared+"/new", os.O_WRONLY|os.O_CREATE) }},
	{"create a file in /dev/shm", func(world) error {
		defer func() { _ = os.Remove("/dev/shm/escape") }()
		return write("/dev/shm/escape", os.O_WRONLY|os.O_CREATE)
	}},
	{"make a device", func(w world) error { return unix.Mknod(w.Shared+"/device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) }},
	{"read the disk", func(w world) error { return read(w.Disk) }},
	{"write to the kernel's log", func(world) error { return write("/dev/kmsg", os.O_WRONLY) }},
	{"list the network interfaces", func(world) error { return list("/sys/class/net", "lo") }},
	{"read a descriptor that was left open", func(w world) error {
		_, err := unix.Pread(w.Leaked, make([]byte, 1), 0)
		return err
	}},
	{"read a secret of the environment", func(world) error {
		if os.Getenv("ESCAPE_SECRET") == "" {
			return errors.New("not there")
		}
		return nil
	}},
}

func read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = f.Read(make([]byte, 1))
	return err
}

// write opens a file and writes nothing.
func write(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// list finds a name in a folder.
func list(path, name string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name) {
			return nil
		}
	}
	return fmt.Errorf("%s is not in %s", name, path)
}

// remote points to the victim's secret.
func remote(w world) []unix.RemoteIovec {
	return []unix.RemoteIovec{{Base: uintptr(w.Buffer), Len: 4}}
}

func local(b []byte) []unix.Iovec {
	v := unix.Iovec{Base: (*byte)(unsafe.Pointer(&b[0]))}
	v.SetLen(len(b))
	return []unix.Iovec{v}
}
