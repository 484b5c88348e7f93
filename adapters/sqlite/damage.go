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

// ErrDamaged says that the file cannot be used any more by those who have it open: it is damaged, or another process has set it
// aside for that and begun a new one. Who opens it again gets a new one; nothing is lost, since the read models are made again
// from the log.
var ErrDamaged = errors.New("the file of the read models is damaged, or was set aside")

// damagedMark stands behind the name of a file that somebody has found damaged. Whoever opens the file next sets it aside.
const damagedMark = ".damaged"

// sidecars are what SQLite keeps beside a file.
var sidecars = []string{"", "-wal", "-shm"}

// lockTime bounds the wait for another process that opens the file.
const lockTime = 30 * time.Second

// alone runs a step while no other process is in one for the same file.
func alone(path string, step func() error) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // which unlocks it
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

// isDamage says whether an error of SQLite means that the file is damaged.
func isDamage(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return true
	}
	return false
}

// marked says whether a file was found damaged by whoever had it open.
func marked(path string) bool {
	_, err := os.Stat(path + damagedMark)
	return err == nil
}

// setAside gives a damaged file a name with its date, under which people can look at it, and takes the mark away. Who still has
// it open goes on with the file under its new name, and notices.
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

// Aside is the name that a damaged file was given when this one was opened; empty when there was none.
func (d *Documents) Aside() string { return d.aside }

// Damaged returns a channel that is closed when the file must not be used any more: see ErrDamaged.
func (d *Documents) Damaged() <-chan struct{} { return d.damaged }

// check returns ErrDamaged when the file was found damaged or set aside, here or by another process. What is written to it then
// is lost.
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

// noticed turns an error that means damage into ErrDamaged, and tells everybody who has the file open.
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
