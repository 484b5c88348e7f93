package jail

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// lender makes files of root appear as files of Nobody, by id-mapped mounts. It needs root, and a file system that supports them.
type lender struct {
	mu   sync.Mutex
	maps *os.File // a user namespace whose root is the user Nobody outside of it
	err  error    // why id-mapped mounts are not available
}

func (l *lender) refuses() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// open creates a user namespace and sets maps, or sets err if that fails. The namespace exists as long as the file in the
// field maps is open. self is the path of the program that creates it.
func (l *lender) open(self string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.maps, l.err = holdMaps(self)
}

func holdMaps(self string) (*os.File, error) {
	program, err := os.Open(self)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	// Through an open file: another user may have no access to a path of this process.
	holder := exec.Command("/proc/self/fd/3", Command)
	holder.ExtraFiles = []*os.File{program}
	holder.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: Nobody, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: Nobody, Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	in, err := holder.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := holder.Start(); err != nil {
		return nil, fmt.Errorf("make a user namespace: %w", err)
	}
	_, err = bufio.NewReader(out).ReadByte() // the child has written one byte: the id maps of its namespace are set
	var maps *os.File
	if err == nil {
		maps, err = os.Open(fmt.Sprintf("/proc/%d/ns/user", holder.Process.Pid))
	}
	return maps, errors.Join(err, in.Close(), holder.Wait())
}

// holdMain keeps the user namespace alive: it runs inside of it until its standard input is closed.
func holdMain() {
	_, _ = os.Stdout.Write([]byte{1})
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// lend returns an id-mapped mount of a path. When the ids of one mount cannot be mapped, no more mounts are made.
func (l *lender) lend(m mount) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, l.err
	}
	fd, err := cloneMount(m.Path)
	if err != nil {
		return nil, err // this error concerns only this path: further mounts are still tried
	}
	if err := restrictMount(m.Path, fd, m.restrictions()); err != nil { // also restricts the mounts below the path
		return nil, errors.Join(err, unix.Close(fd))
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(l.maps.Fd())}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		l.err = fmt.Errorf("show %s as another user's: %w", m.Path, err)
		return nil, errors.Join(l.err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), m.Path), nil
}

// lendAll lends all mounts or none.
func (l *lender) lendAll(all []mount) ([]*os.File, error) {
	var lent []*os.File
	for _, m := range all {
		f, err := l.lend(m)
		if err != nil {
			for _, f := range lent {
				_ = f.Close()
			}
			return nil, err
		}
		lent = append(lent, f)
	}
	return lent, nil
}

// cloneMount opens a path, with all mounts below the path, as a detached mount. Inside of a user namespace the kernel does not
// let the mounts below the path be left out.
func cloneMount(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("open %s as a mount: %w", path, err)
	}
	return fd, nil
}

// restrictions are the attributes of a mount. Writable files can never be executed.
func (m mount) restrictions() uint64 {
	set := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if m.Write {
		return set | unix.MOUNT_ATTR_NOEXEC
	}
	return set | unix.MOUNT_ATTR_RDONLY
}
