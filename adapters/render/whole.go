package render

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"moviola/domain/movie"
	"moviola/domain/timeline"
	"moviola/internal/h264"
)

// parts are the windows and the sound of a movie, by what they are found under.
type parts struct {
	windows []timeline.Window
	keys    []string // of the windows
	sound   string
}

// parts names what the movie is made of.
func (r *run) partsOf() (parts, error) {
	p := parts{windows: windowsOf(r.plan)}
	p.keys = make([]string, len(p.windows))
	var err error
	for i, w := range p.windows {
		if p.keys[i], err = r.windowKey(w); err != nil {
			return parts{}, err
		}
	}
	p.sound, err = r.soundKey()
	return p, err
}

// wholeSpec is everything that decides what the file of a movie holds.
type wholeSpec struct {
	Version string
	FPS     timeline.Rate
	Windows []string
	Sound   string
}

// whole is the movie's file, from the cache or made of its parts. A movie of which everything is known costs no process.
func (r *run) whole(ctx context.Context, p parts) (string, movie.File, error) {
	key, err := hashOf(wholeSpec{Version: version, FPS: r.plan.FPS, Windows: p.keys, Sound: p.sound})
	if err != nil {
		return "", movie.File{}, err
	}
	path := filepath.Join(r.parts, key+".mp4")
	known, found, err := r.pieces.find(key, ".mp4", path)
	if err != nil {
		return "", movie.File{}, err
	}
	if found && known.File != nil {
		r.warn(known.Warnings...)
		r.countFrames(0, r.plan.Frames)
		return path, *known.File, nil
	}
	windows, sound, err := r.encode(ctx, p)
	if errors.Is(err, h264.ErrUnknown) && !r.engine.plain.Swap(true) {
		r.log.WithError(err).Warn("pictures that rest are encoded from now on: the encoder writes its streams in a way that is not known")
		if p, err = r.partsOf(); err != nil {
			return "", movie.File{}, err
		}
		return r.whole(ctx, p)
	}
	if err != nil {
		return "", movie.File{}, err
	}
	joined := r.timeStage(stageJoin)
	made, err := r.join(ctx, windows, sound)
	if err != nil {
		return "", movie.File{}, err
	}
	file, err := r.check(ctx, made)
	joined()
	if err != nil {
		return "", movie.File{}, err
	}
	file.Loudness = r.soundLevel
	known = piece{Frames: r.plan.Frames, File: &file}
	for _, w := range windows {
		known.Warnings = append(known.Warnings, w.piece.Warnings...)
		known.Until = sooner(known.Until, w.piece.Until)
	}
	return made, file, r.pieces.keep(key, ".mp4", made, known)
}

// thumbnailSpec is everything that decides what a thumbnail shows.
type thumbnailSpec struct {
	Version string
	Window  string // the key of the window that shows it
	Frame   int64  // of the window
}

// thumbnail is the plan's frame as a small picture, from the cache or taken out of the movie at path.
func (r *run) thumbnail(ctx context.Context, p parts, from string) (string, error) {
	spec, until := thumbnailSpec{Version: version}, time.Time{}
	for i, w := range p.windows {
		if at := r.plan.ThumbnailFrame - w.Start; at >= 0 && at < w.Frames {
			spec.Window, spec.Frame, until = p.keys[i], at, r.ages(w)
		}
	}
	if spec.Window == "" {
		return "", fmt.Errorf("thumbnail frame %d is in none of the windows", r.plan.ThumbnailFrame)
	}
	key, err := hashOf(spec)
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.parts, key+".jpg")
	if _, found, err := r.pieces.find(key, ".jpg", path); err != nil || found {
		return path, err
	}
	taken := r.timeStage(stageThumbnail)
	made, err := r.takeThumbnail(ctx, from)
	taken()
	if err != nil {
		return "", fmt.Errorf("take thumbnail: %w", err)
	}
	return made, r.pieces.keep(key, ".jpg", made, piece{Frames: 1, Until: until})
}
