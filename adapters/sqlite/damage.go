package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
)

// ErrDamaged says that this process must stop using the file: the file is damaged, or its path does not lead to it any
// more, usually because another process has found it damaged, set it aside and created a new file. The process can open the
// documents again, with a new file. Nothing is lost, since the read models are rebuilt from the log.
var ErrDamaged = errors.New("the file of the read models is damaged, or was set aside")

// damagedMark is the suffix of a second file beside the database. That file marks the database as damaged, and contains the error
// that was found. The next Open sets the database aside.
const damagedMark = ".damaged"

// sidecars are the suffixes of the files of a database.
var sidecars = []string{"", "-wal", "-shm"}

// lockTime limits the wait for another process that opens the file.
const lockTime = 30 * time.Second

// alone calls step while it holds the lock for path: no other process calls such a function for this path at the same time.
func alone(path string, step func() error) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // closing the lock's file unlocks it
	for giveUp := time.Now().Add(lockTime); ; {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return step()
		case !errors.Is(err, unix.EWOULDBLOCK):
			return err
		case time.Now().After(giveUp):
			return fmt.Errorf("%s is held by another process that opens the read models; is one stuck?", lock.Name())
		}
		<-time.After(10 * time.Millisecond)
	}
}

// isDamage reports whether an SQLite error means that the file is damaged.
func isDamage(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return true
	}
	return false
}

// marked reports whether a process has found the file damaged.
func marked(path string) bool {
	_, err := os.Stat(path + damagedMark)
	return err == nil
}

// setAside renames a damaged file to a name with the date, so that operators can inspect it. It also removes the file
// with the suffix damagedMark, which marks the file as damaged. Processes that have the damaged file open continue with
// it under its new name, until they notice that it was set aside.
func setAside(path string, now time.Time) (string, error) {
	aside := path + ".damaged-" + now.UTC().Format("20060102T150405.000Z")
	for _, sidecar := range sidecars {
		if err := os.Rename(path+sidecar, aside+sidecar); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set %s aside: %w", path+sidecar, err)
		}
	}
	if err := os.Remove(path + damagedMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return filepath.Base(aside), nil
}

// Aside returns the new name of a damaged file that Open has set aside; empty when there was none.
func (d *Documents) Aside() string { return d.aside }

// Damaged returns a channel that is closed when the file must no longer be used: see ErrDamaged.
func (d *Documents) Damaged() <-chan struct{} { return d.damaged }

// check returns ErrDamaged when this or another process has found the file damaged, or when its path does not lead to it
// any more, usually because another process has set it aside. In both cases, everything that is written to the file would
// be lost.
func (d *Documents) check() error {
	select {
	case <-d.damaged:
		return ErrDamaged
	default:
	}
	there, err := os.Stat(d.path)
	if err == nil && os.SameFile(there, d.file) && !marked(d.path) {
		return nil
	}
	d.giveUp()
	return ErrDamaged
}

func (d *Documents) giveUp() { d.once.Do(func() { close(d.damaged) }) }

// noticed turns an error that means damage into ErrDamaged, and marks the file for all processes.
func (d *Documents) noticed(err error) error {
	if err == nil || !isDamage(err) {
		return err
	}
	err = fmt.Errorf("%s: %w: %w", d.path, ErrDamaged, err)
	if there, statErr := os.Stat(d.path); statErr == nil && os.SameFile(there, d.file) {
		err = errors.Join(err, os.WriteFile(d.path+damagedMark, []byte(err.Error()+"\n"), 0o600))
	}
	d.giveUp()
	return err
}
