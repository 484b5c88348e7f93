// Package disk gives tests small disks of their own: file systems that forget what was not synced when their power is cut, and
// that can be full. They take root, mkfs.ext4 and a kernel that mounts a file; elsewhere New skips the test.
package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Disk is an ext4 file system in a file.
type Disk struct {
	Path string // the folder where it is mounted

	t     testing.TB
	image string
}

// New makes and mounts one, until the test ends. Where that is not possible the test is skipped, and says why.
func New(t testing.TB, megabytes int) *Disk {
	t.Helper()
	d, err := Make(t, megabytes)
	if err != nil {
		t.Skip("there is no disk to test with: ", err)
	}
	return d
}

// Make is New for a test that knows what to do without a disk: the error says why there is none.
func Make(t testing.TB, megabytes int) (*Disk, error) {
	t.Helper()
	if os.Getuid() != 0 {
		return nil, errors.New("only root can mount a file system")
	}
	d := &Disk{Path: filepath.Join(t.TempDir(), "disk"), t: t, image: filepath.Join(t.TempDir(), "image")}
	if err := errors.Join(os.WriteFile(d.image, nil, 0o600), os.Truncate(d.image, int64(megabytes)<<20),
		os.Mkdir(d.Path, 0o700)); err != nil {
		t.Fatal(err)
	}
	// Its blocks are as large as those of any larger disk: in smaller ones, files that are mapped into memory have holes.
	if err := run("mkfs.ext4", "-q", "-F", "-b", "4096", d.image); err != nil {
		return nil, err
	}
	if err := d.mount(); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := d.unmount(); err != nil {
			t.Error(err)
		}
	})
	return d, nil
}

func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (d *Disk) mount() error { return run("mount", "-o", "loop", d.image, d.Path) }

// unmount takes the file system away from its path. Whoever still has it, as a sandbox that began when it was mounted, keeps it
// until it ends.
func (d *Disk) unmount() error { return run("umount", "--lazy", d.Path) }

// CutPower makes the file system forget what was not synced: nothing reaches the image any more, not even the file system's own
// journal. It takes the kernel milliseconds, in which a sync may still be answered: what is said to be stored meanwhile counts
// for nothing. Where the kernel cannot do it the test is skipped.
func (d *Disk) CutPower() {
	d.t.Helper()
	const shutdown, withoutFlush = 0x8004587d, 2 // FS_IOC_SHUTDOWN
	folder, err := os.Open(d.Path)
	if err != nil {
		d.t.Fatal(err)
	}
	err = errors.Join(unix.IoctlSetPointerInt(int(folder.Fd()), shutdown, withoutFlush), folder.Close())
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) {
		d.t.Skip("this kernel cannot shut a file system down: ", err)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// PowerUp mounts after CutPower what has reached the image. It mounts a copy: as long as a sandbox of another test has the file
// system that was cut, the kernel would mount that one again, as it is.
func (d *Disk) PowerUp() {
	d.t.Helper()
	last := d.image
	d.image = filepath.Join(d.t.TempDir(), "image")
	if err := errors.Join(d.unmount(), run("cp", "--sparse=always", last, d.image), os.Remove(last), d.mount()); err != nil {
		d.t.Fatal(err)
	}
}

// Fill fills the disk, but for about as many bytes as room.
func (d *Disk) Fill(room int64) {
	d.t.Helper()
	file, err := os.Create(d.ballast())
	if err != nil {
		d.t.Fatal(err)
	}
	for size := 1 << 20; size >= 512; size /= 2 {
		for err == nil {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			break
		}
		err = nil
	}
	if err == nil && room > 0 {
		var size int64
		size, err = file.Seek(0, io.SeekEnd)
		err = errors.Join(err, file.Truncate(max(size-room, 0)))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		d.t.Fatal(err)
	}
}

// MakeRoom takes back what Fill has done.
func (d *Disk) MakeRoom() {
	d.t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) ballast() string { return filepath.Join(d.Path, "ballast") }
