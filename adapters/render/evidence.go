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

// outOfMemory adds commands.ErrOutOfMemory to the error of work whose program was ended from outside, when the kernel has ended
// processes for want of memory meanwhile. Without that a program that was killed proves nothing. Decision 56.
func outOfMemory(ctx context.Context, before oom.Count, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return blameMemory(before, oom.Read(), err)
}

// blameMemory is outOfMemory of an error between two counts.
func blameMemory(before, after oom.Count, err error) error {
	var exit *ffmpeg.ExitError
	if errors.As(err, &exit) && exit.Memory { // the count of its own group says so
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err)
	}
	if !before.Rose(after) {
		return err
	}
	var refusal *domain.Error
	if errors.As(err, &exit) && exit.Killed || errors.As(err, &refusal) && refusal.Code == commands.PageCrashed {
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err) // not as the movie's fault: the other work here may be to blame
	}
	return err
}

// finishedFolder holds a file for each movie whose windows were made lately, as many bytes long as there were windows.
const finishedFolder = "finished"

// finishedKept is how long such a file is kept after the last window: longer than a movie may be tried.
const finishedKept = 24 * time.Hour

func (e *Engine) finishedFile(project domain.ProjectID) (string, error) {
	name, err := hashOf(project) // an id may hold any character
	if err != nil {
		return "", err
	}
	return filepath.Join(e.cfg.Dir, finishedFolder, name[:32]), nil
}

// finish notes that a window of a movie was made.
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

// Finished is how many windows of a movie this host has made. See commands.Renderer.
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
