package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Restoring is the folder in the new data folder in which everything is put together, before it is moved to its place.
const Restoring = ".restoring"

// MakeDataFolder makes the folder that everything local lies in, for this user only. One that others can enter is closed to them.
func MakeDataFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("the data folder must be open to this user only (chmod 700): %w", err)
	}
	return nil
}

// checkLogThere refuses a data folder that has documents and no log any more. A new log would know none of them, and they would
// be removed as those of movies that never were.
func checkLogThere(data string) error {
	log, documents := filepath.Join(data, "events", "events.db"), filepath.Join(data, "files", "documents.db")
	_, lost := os.Stat(log)
	if _, err := os.Stat(documents); err != nil || !errors.Is(lost, fs.ErrNotExist) {
		return nil // a new folder, or one that has its log: whoever opens it says what is wrong with it
	}
	return fmt.Errorf("the log %s is lost, and %s is still there: restore the newest backup (docs/backup.md), or name the "+
		"event store "+
		"that has the log with --eventstore", log, documents)
}

// RefuseHalfRestored refuses a data folder in which a restore was cut short: a service would begin a new installation there.
func RefuseHalfRestored(data string) error {
	_, err := os.Lstat(filepath.Join(data, Restoring))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(fmt.Errorf(
		"a restore into %s is under way or was cut short: let it end, or restore into an empty folder", data,
	), err)
}
