package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// stage is the folder where the root folder is assembled. It exists on every system, and is accessible to everybody.
const stage = "/tmp"

// rootBytes is the size limit of the root folder's own file system.
const rootBytes = "256k"

// makeRoot gives the program a root folder that contains only common files of the system and what the policy names.
// Sources of mounts are opened first, because the new folder may hide them.
func (s spec) makeRoot() error {
	if !s.Root {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	shown, err := s.open()
	if err != nil {
		return err
	}
	if err := unix.Mount("root", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size="+rootBytes); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := s.mountOwn(); err != nil {
		return err
	}
	for _, f := range shown {
		if err := f.attach(); err != nil {
			return fmt.Errorf("show %s: %w", f.path, err)
		}
	}
	if err := os.Chdir(stage); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the former root: %w", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	return errors.Join(unix.MountSetattr(unix.AT_FDCWD, "/", 0, &attr), os.Chdir("/"))
}

// shown is an entry of the root folder: a link, or a mount.
type shown struct {
	path   string
	link   string
	fd     int
	folder bool
}

// open opens the sources of all entries. Paths that do not exist are skipped, except for device nodes: those are an error.
func (s spec) open() ([]shown, error) {
	var all []shown
	for _, path := range append(append([]string{}, systemPaths...), s.System...) {
		f, err := openSystem(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, path := range slices.Concat(devices, s.Devices) {
		f, err := openSystem(path, unix.MOUNT_ATTR_NOSUID)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	for _, m := range s.Mounts {
		f, err := m.open()
		if errors.Is(err, os.ErrNotExist) {
			continue // a missing path is skipped: the program reports it
		}
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func openSystem(path string, restrictions uint64) (shown, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return shown{}, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		link, err := os.Readlink(path)
		return shown{path: path, link: link}, err
	}
	fd, err := cloneMount(path)
	if err != nil {
		return shown{}, err
	}
	return shown{path: path, fd: fd, folder: info.IsDir()}, restrictMount(path, fd, restrictions)
}

func (m mount) open() (shown, error) {
	fd := m.FD
	if fd == 0 { // a path that the service has not mounted for another user is mounted here, as the current user
		var err error
		if fd, err = cloneMount(m.Path); err != nil {
			return shown{}, err
		}
		if err := restrictMount(m.Path, fd, m.restrictions()); err != nil {
			return shown{}, err
		}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return shown{}, err
	}
	return shown{path: m.Path, fd: fd, folder: stat.Mode&unix.S_IFMT == unix.S_IFDIR}, nil
}

// restrictMount sets attributes of the mount of a path, and of all mounts below it.
func restrictMount(path string, fd int, restrictions uint64) error {
	attr := unix.MountAttr{Attr_set: restrictions}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("restrict %s: %w", path, err)
	}
	return nil
}

// attach adds f, a link or a mount, to the root folder of the program.
func (f shown) attach() error {
	at := filepath.Join(stage, f.path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if f.link != "" {
		return os.Symlink(f.link, at)
	}
	if err := makeTarget(at, f.folder); err != nil {
		return err
	}
	if err := unix.MoveMount(f.fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return err
	}
	return unix.Close(f.fd)
}

func makeTarget(at string, folder bool) error {
	if folder {
		return os.MkdirAll(at, 0o755)
	}
	file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL, 0o444)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// mountOwn mounts file systems that end with the program: its home in memory, and /proc with its own processes.
func (s spec) mountOwn() error {
	const strict = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if s.Home != "" {
		at := filepath.Join(stage, s.Home)
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("home", at, "tmpfs", strict, fmt.Sprintf("mode=0700,size=%dm", s.HomeMB)); err != nil {
			return fmt.Errorf("mount home: %w", err)
		}
	}
	if s.Proc {
		at := filepath.Join(stage, "proc")
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("proc", at, "proc", strict, ""); err != nil {
			return fmt.Errorf("mount processes: %w", err)
		}
	}
	return nil
}
