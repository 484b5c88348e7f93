package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Restoring is the folder, in a new data folder, in which a restore collects its files before it moves them up.
const Restoring = ".restoring"

// MakeDataFolder creates the data folder, readable by this user only. The permissions of an existing folder are tightened.
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

// checkLogThere refuses a data folder that has documents but no log. With a new log, all documents would look abandoned and be
// removed.
func checkLogThere(data string) error {
	log, documents := filepath.Join(data, "events", "events.db"), filepath.Join(data, "files", "documents.db")
	_, lost := os.Stat(log)
	if _, err := os.Stat(documents); err != nil || !errors.Is(lost, fs.ErrNotExist) {
		// The folder has no documents, or there is a log. Whether the log can be used is seen when it is opened.
		return nil
	}
	return fmt.Errorf("the log %s is lost, and %s is still there: restore the newest backup (docs/backup.md), or name the "+
		"event store "+
		"that has the log with --eventstore", log, documents)
}

// RefuseHalfRestored refuses a data folder with an interrupted restore: a service would start a new installation there.
func RefuseHalfRestored(data string) error {
	_, err := os.Lstat(filepath.Join(data, Restoring))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(fmt.Errorf(
		"a restore into %s is under way or was cut short: let it end, or restore into an empty folder", data,
	), err)
}
