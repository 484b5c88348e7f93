package embedded_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// disk is a small ext4 file system of the test's own, in a file.
type disk struct {
	*testing.T
	image, path string
}

// newDisk makes and mounts one. Where that is not possible the test is skipped, and says why.
func newDisk(t *testing.T, megabytes int) *disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a file system of its own can be mounted by root only")
	}
	d := &disk{T: t, image: filepath.Join(t.TempDir(), "image"), path: filepath.Join(t.TempDir(), "disk")}
	if err := errors.Join(os.WriteFile(d.image, nil, 0o600), os.Truncate(d.image, int64(megabytes)<<20), os.Mkdir(d.path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := run("mkfs.ext4", "-q", "-F", d.image); err != nil {
		t.Skip("there is no file system to cut the power of: ", err)
	}
	if err := d.mount(); err != nil {
		t.Skip("a file system in a file cannot be mounted here: ", err)
	}
	t.Cleanup(func() { _ = d.unmount() })
	return d
}

func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// mount mounts the image anew. As long as a sandbox somewhere holds the mount that was, it would come back as it was: shut down.
func (d *disk) mount() error {
	giveUp := time.Now().Add(patience)
	for {
		if err := run("mount", "-o", "loop", d.image, d.path); err != nil {
			return err
		}
		err := os.WriteFile(filepath.Join(d.path, "probe"), nil, 0o600)
		if err == nil || time.Now().After(giveUp) {
			return err
		}
		if err := d.unmount(); err != nil {
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}

// unmount waits for the last file to be closed: a process that was killed takes a moment.
func (d *disk) unmount() error {
	giveUp := time.Now().Add(patience)
	for {
		err := run("umount", d.path)
		if err == nil || time.Now().After(giveUp) {
			return err
		}
		<-time.After(5 * time.Millisecond)
	}
}

// cutPower makes the file system forget what was not synced: nothing reaches the image any more, not even the file system's own journal.
func (d *disk) cutPower() {
	d.Helper()
	const shutdown, withoutFlush = 0x8004587d, 2 // FS_IOC_SHUTDOWN
	folder, err := os.Open(d.path)
	if err != nil {
		d.Fatal(err)
	}
	err = errors.Join(unix.IoctlSetPointerInt(int(folder.Fd()), shutdown, withoutFlush), folder.Close())
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) {
		d.Skip("this kernel cannot shut a file system down: ", err)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// TestPowerLoss cuts the power under callers, again and again. Every start, without any help, finds all that was acknowledged.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	d := newDisk(t, 64)
	c := newCrashes(t, 8)
	c.dir = filepath.Join(d.path, "events")
	n := rounds(25, 1000)
	began := time.Now()
	for range n {
		server := startChild(t, c.dir)
		c.round(server, 1+rand.IntN(60), func() {
			c.cut.Store(true) // the kernel takes milliseconds for it, in which a sync may still be answered
			d.cutPower()
			server.kill()
		})
		if err := errors.Join(d.unmount(), d.mount()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d power cuts in %v", n, time.Since(began))
	c.finish()
}

// TestDiskFull fills the disk under callers. Appends fail, the service says so, reads go on; with room again appends work without a
// restart, and nothing acknowledged is missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	d := newDisk(t, 16)
	h := newHarness(t, embeddedIn(filepath.Join(d.path, "events")))
	ballast := filepath.Join(d.path, "ballast")
	j := newJournal("full-1")
	for round := range rounds(4, 40) {
		if err := fillDisk(ballast); err != nil {
			t.Fatal(err)
		}
		if err := j.appendAll(h.ctx, h.client, func() {}); err != nil { // until the first error
			t.Fatal(err)
		}
		if err := h.server.Health(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("round %d: the disk is full, the server's health is %v", round, err)
		}
		j.check(t, h.client, 0)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		h.mustAppend("other-1", anyRevision, events(1)...)
		if err := h.server.Health(); err != nil {
			t.Errorf("round %d: there is room again, the server's health is %v", round, err)
		}
	}
	if len(j.acked) == 0 {
		t.Error("nothing was appended")
	}
	if report := mustVerify(t, filepath.Join(d.path, "events")); len(report.Problems) > 0 {
		t.Errorf("the log is not sound: %q", report.Problems)
	}
}

// fillDisk writes a file that leaves room for some hundred events.
func fillDisk(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	for size := 1 << 20; size >= 1024; size /= 2 {
		for err == nil {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			break
		}
		err = nil
	}
	if err == nil {
		var size int64
		size, err = file.Seek(0, io.SeekEnd)
		err = errors.Join(err, file.Truncate(size-256<<10))
	}
	return errors.Join(err, file.Sync(), file.Close())
}
