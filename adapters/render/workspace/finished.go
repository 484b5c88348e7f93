package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"moviola/domain"
)

// finishedFolder holds a file for each movie with recently finished windows. The length of such a file in bytes is the number of
// the movie's finished windows.
const finishedFolder = "finished"

// finishedKept is how long the file of a movie in finishedFolder is kept after the movie's newest finished window.
// Usually no movie is tried any more after this time.
const finishedKept = 24 * time.Hour

func (s *Space) finishedFile(project domain.ProjectID) (string, error) {
	name, err := Key(project) // the id is hashed because it may contain any character
	if err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, finishedFolder, name[:32]), nil
}

// Finish counts a finished window of a movie.
func (s *Space) Finish(project domain.ProjectID) error {
	path, err := s.finishedFile(project)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("note a window: %w", err)
	}
	_, err = f.Write([]byte{'.'})
	return errors.Join(err, f.Close())
}

// Finished returns the number of windows of a movie that this host has finished.
func (s *Space) Finished(project domain.ProjectID) int {
	path, err := s.finishedFile(project)
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

func (s *Space) sweepFinished(now time.Time) error {
	files, err := os.ReadDir(filepath.Join(s.Dir, finishedFolder))
	if err != nil {
		return fmt.Errorf("look for notes on windows: %w", err)
	}
	var failures []error
	for _, file := range files {
		info, err := file.Info()
		if err == nil && now.Sub(info.ModTime()) > finishedKept {
			err = os.Remove(filepath.Join(s.Dir, finishedFolder, file.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, fmt.Errorf("remove a note on windows: %w", err))
		}
	}
	return errors.Join(failures...)
}
