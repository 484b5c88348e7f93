package render

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"moviola/adapters/render/workspace"
	"moviola/domain/movie"
	"moviola/domain/timeline"
	"moviola/internal/h264"
)

// parts are the windows of a movie, and the cache keys of its windows and its sound.
type parts struct {
	windows []timeline.Window
	keys    []string // keys of the windows
	sound   string
	teaser  teaser
	matte   bool // true for the parts of the movie's matte
}

// teaser is the frame of a window that becomes the movie's thumbnail.
type teaser struct {
	key    string
	window string // key of the window that shows the thumbnail's frame
	frame  int64  // number of the thumbnail's frame in this window, counted from 0
	until  time.Time
}

// partsOf computes the cache keys of the movie's parts.
func (r *run) partsOf() (parts, error) {
	p := parts{windows: r.grouped(windowsOf(r.plan))}
	p.keys = make([]string, len(p.windows))
	var err error
	for i, w := range p.windows {
		if p.keys[i], err = r.windowKey(w, false); err != nil {
			return parts{}, err
		}
	}
	if p.sound, err = r.soundKey(); err != nil {
		return parts{}, err
	}
	p.teaser, err = r.teaserOf(p)
	return p, err
}

// wholeSpec holds everything that affects the file of a movie. Its hash is the key of the file.
type wholeSpec struct {
	Version string
	FPS     timeline.Rate
	Windows []string
	Sound   string
}

// whole returns the movie's file, from the cache or joined from its parts. A completely cached movie starts no process.
func (r *run) whole(ctx context.Context, p parts) (string, movie.File, error) {
	key, err := workspace.Key(wholeSpec{Version: version, FPS: r.plan.FPS, Windows: p.keys, Sound: p.sound})
	if err != nil {
		return "", movie.File{}, err
	}
	path := filepath.Join(r.parts, key+".mp4")
	known, found, err := r.pieces.Find(key, ".mp4", path)
	if err != nil {
		return "", movie.File{}, err
	}
	if found && known.File != nil {
		r.warn(known.Warnings...)
		r.countFrames(0, r.plan.Frames)
		return path, *known.File, nil
	}
	windows, sound, err := r.encode(ctx, p)
	if errors.Is(err, h264.ErrUnknown) && !r.plain {
		r.plain = true
		if !r.engine.plain.Swap(true) {
			r.log.WithError(err).Warn("the output of the encoder has a form that this version does not know; from now on unchanged " +
				"frames are encoded too, which takes longer")
		}
		return r.again(ctx)
	}
	if r.soften(ctx, err) {
		return r.again(ctx)
	}
	if err != nil {
		return "", movie.File{}, err
	}
	joined := r.timeStage(stageJoin)
	made, file, err := r.join(windows, sound)
	joined()
	if err != nil {
		return "", movie.File{}, err
	}
	file.Loudness = r.soundLevel
	known = workspace.Part{Frames: r.plan.Frames, File: &file}
	for _, w := range windows {
		known.Warnings = append(known.Warnings, w.piece.Warnings...)
		known.Until = sooner(known.Until, w.piece.Until)
	}
	return made, file, r.pieces.Keep(key, ".mp4", made, known)
}

// again makes the movie's file once more, after an error that has changed how its windows are encoded. The error has cancelled
// what else was being made: a sound or a drawing that was not finished is begun anew.
func (r *run) again(ctx context.Context) (string, movie.File, error) {
	if r.soundErr != nil {
		r.mixed, r.soundErr = sync.Once{}, nil
	}
	if r.heardErr != nil {
		r.heardOnce, r.heardErr = sync.Once{}, nil
	}
	r.stills.Forget()
	p, err := r.partsOf()
	if err != nil {
		return "", movie.File{}, err
	}
	return r.whole(ctx, p)
}

// thumbnailSpec holds everything that affects a thumbnail. Its hash is the key of the thumbnail.
type thumbnailSpec struct {
	Version string
	Window  string // key of the window that shows the thumbnail's frame
	Frame   int64  // number of the thumbnail's frame in this window, counted from 0
}

// teaserOf finds the window and frame of the thumbnail.
func (r *run) teaserOf(p parts) (teaser, error) {
	for i, w := range p.windows {
		if at := r.plan.ThumbnailFrame - w.Start; at >= 0 && at < w.Frames {
			key, err := workspace.Key(thumbnailSpec{Version: version, Window: p.keys[i], Frame: at})
			return teaser{key: key, window: p.keys[i], frame: at, until: r.ages(w)}, err
		}
	}
	return teaser{}, fmt.Errorf("thumbnail frame %d is in none of the windows", r.plan.ThumbnailFrame)
}

// keepTeaser stores a thumbnail in the cache.
func (r *run) keepTeaser(s teaser, path string) error {
	return r.pieces.Keep(s.key, ".jpg", path, workspace.Part{Frames: 1, Until: s.until})
}

// thumbnail returns the movie's thumbnail as a small picture: the one made together with its window, in this attempt or an
// earlier one, or else a frame taken from the finished movie at a path.
func (r *run) thumbnail(ctx context.Context, s teaser, from string) (string, error) {
	path := filepath.Join(r.parts, s.key+".jpg")
	if _, found, err := r.pieces.Find(s.key, ".jpg", path); err != nil || found {
		return path, err
	}
	taken := r.timeStage(stageThumbnail)
	made, err := r.takeThumbnail(ctx, from)
	taken()
	if err != nil {
		return "", fmt.Errorf("take thumbnail: %w", err)
	}
	return made, r.keepTeaser(s, made)
}
