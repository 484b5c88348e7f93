package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"moviola/domain"
)

// Attempt is the folder of one running attempt at a movie. It is locked, so that no process removes it with Sweep.
type Attempt struct {
	Dir    string
	parent string   // folder of all attempts at the movie
	alive  *os.File // file that is locked while the attempt is at work
}

// Begin makes the folder of an attempt. It removes files of earlier attempts at the project: their workers are dead, or will lose
// their claim.
func (s *Space) Begin(project domain.ProjectID, attempt int) (Attempt, error) {
	name, err := Key(project) // the id is hashed because it may contain any character
	if err != nil {
		return Attempt{}, err
	}
	a := Attempt{parent: filepath.Join(s.Dir, jobs, name[:32])}
	if err := removeEarlier(a.parent, attempt); err != nil {
		return Attempt{}, err
	}
	if err := os.MkdirAll(a.parent, 0o700); err != nil {
		return Attempt{}, fmt.Errorf("make folder of %s: %w", project, err)
	}
	if a.Dir, err = os.MkdirTemp(a.parent, fmt.Sprintf("%06d-", attempt)); err != nil {
		return Attempt{}, fmt.Errorf("make folder of %s: %w", project, err)
	}
	if a.alive, err = markAlive(a.Dir); err != nil {
		return Attempt{}, fmt.Errorf("lock folder of %s: %w", project, err)
	}
	return a, nil
}

// Close removes the folder with all files in it.
func (a Attempt) Close() error {
	err := errors.Join(os.RemoveAll(a.Dir), a.alive.Close())
	// If another attempt is at work, the folder is not empty and stays.
	_ = os.Remove(a.parent)
	return err
}

// removeEarlier removes the folders of earlier attempts.
func removeEarlier(parent string, attempt int) error {
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for earlier attempts: %w", err)
	}
	for _, entry := range entries {
		var n int
		if _, err := fmt.Sscanf(entry.Name(), "%06d-", &n); err != nil || n >= attempt {
			continue
		}
		if err := os.RemoveAll(filepath.Join(parent, entry.Name())); err != nil {
			return fmt.Errorf("remove what attempt %d has left: %w", n, err)
		}
	}
	return nil
}

// aliveName is the file in an attempt's folder that is locked while the attempt is at work.
const aliveName = "alive"

// markAlive locks the folder of an attempt for as long as the returned file is open.
func markAlive(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, aliveName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// dead reports whether no process works in the folder of an attempt.
func dead(dir string) bool {
	f, err := os.Open(filepath.Join(dir, aliveName))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
