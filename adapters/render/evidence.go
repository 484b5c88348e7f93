package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/oom"
)

// outOfMemory adds commands.ErrOutOfMemory to the error of a program that was killed from outside, if the kernel has killed
// processes for lack of memory since the count before was taken. Otherwise a killed program proves nothing. Decision 56.
func outOfMemory(ctx context.Context, before oom.Count, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return blameMemory(before, oom.Read(), err)
}

// blameMemory is outOfMemory with given counts of kills before and after.
func blameMemory(before, after oom.Count, err error) error {
	var exit *ffmpeg.ExitError
	if errors.As(err, &exit) && exit.Memory { // the program's own control group has counted the kill
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err)
	}
	if !before.Rose(after) {
		return err
	}
	var refusal *domain.Error
	if errors.As(err, &exit) && exit.Killed || errors.As(err, &refusal) && refusal.Code == commands.PageCrashed {
		// not the movie's fault: other work on this machine may have used the memory
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err)
	}
	return err
}

// finishedFolder holds a file for each movie with recently finished windows. Its length in bytes is the number of windows.
const finishedFolder = "finished"

// finishedKept is how long the file of a movie in finishedFolder is kept after the movie's newest finished window: longer than a
// movie may be tried.
const finishedKept = 24 * time.Hour

func (e *Engine) finishedFile(project domain.ProjectID) (string, error) {
	name, err := hashOf(project) // the id is hashed because it may contain any character
	if err != nil {
		return "", err
	}
	return filepath.Join(e.cfg.Dir, finishedFolder, name[:32]), nil
}

// finish counts a finished window of a movie.
func (e *Engine) finish(project domain.ProjectID) error {
	path, err := e.finishedFile(project)
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

// Finished returns the number of windows of a movie that this host has finished. See commands.Renderer.
func (e *Engine) Finished(project domain.ProjectID) int {
	path, err := e.finishedFile(project)
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

func (e *Engine) sweepFinished(now time.Time) error {
	files, err := os.ReadDir(filepath.Join(e.cfg.Dir, finishedFolder))
	if err != nil {
		return fmt.Errorf("look for notes on windows: %w", err)
	}
	var failures []error
	for _, file := range files {
		info, err := file.Info()
		if err == nil && now.Sub(info.ModTime()) > finishedKept {
			err = os.Remove(filepath.Join(e.cfg.Dir, finishedFolder, file.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, fmt.Errorf("remove a note on windows: %w", err))
		}
	}
	return errors.Join(failures...)
}
