package render

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/domain"
	"moviola/domain/timeline"
)

// suspect is a part of a source that ffmpeg may have failed to read.
type suspect struct {
	ref     timeline.Ref
	address string
	sound   bool
}

func (r *run) picturesOf(w timeline.Window) []suspect {
	var all []suspect
	layers := layersOf(w)
	if t := w.Transition; t != nil {
		layers = slices.Concat(t.Layers, w.Layers, t.Over)
	}
	for _, l := range layers {
		keys := []string{l.Source}
		if maskedByVideo(l) {
			keys = append(keys, l.Effects.Mask.Source)
		}
		for _, key := range keys {
			if m := r.sources[key].Asset.Media; m != nil && m.Video != nil {
				all = append(all, suspect{ref: l.Ref, address: key})
			}
		}
	}
	return all
}

func soundsOf(plan *timeline.Timeline) []suspect {
	var all []suspect
	for _, c := range plan.Audio {
		all = append(all, suspect{ref: c.Ref, address: c.Source, sound: true})
	}
	return all
}

const (
	// decodeStall is how long the search for a damaged source waits while ffmpeg makes no progress. A machine that is too
	// busy for a render is too busy for the search: the search waits longer than a render usually does before it says
	// that a source cannot be decoded.
	decodeStall = 4 * ffmpeg.DefaultStall
	// decodeLimit is the time limit for decoding one source in the search for a damaged source. A source that was decoded
	// without an error until then counts as undamaged.
	decodeLimit = 5 * time.Minute
)

// atFault finds out whether a run of ffmpeg failed because a source cannot be decoded: it decodes the suspects one by
// one, except WebP files, which ffmpeg does not decode. The returned error names the element of the first damaged source.
// If none is found damaged, failure is returned, with the error of the search if the search failed. A run that was ended
// by a signal is not examined, and neither is a failure that names an element already.
func (r *run) atFault(ctx context.Context, failure error, suspects []suspect) error {
	var named *domain.Error
	if errors.As(failure, &named) {
		return named
	}
	var exit *ffmpeg.ExitError
	failed := errors.As(failure, &exit) && exit.Code >= 0 || errors.Is(failure, ffmpeg.ErrStalled)
	if !failed || ctx.Err() != nil {
		return failure
	}
	r.log.WithError(failure).Warn("ffmpeg failed: each source that it read is examined for damage")
	for _, s := range suspects {
		if r.sources[s.address].Asset.Format == "webp" {
			continue
		}
		damaged, err := r.damaged(ctx, s)
		if err != nil {
			return errors.Join(failure, err)
		}
		if damaged {
			return artwork.Blame(s.ref, unreadable)
		}
	}
	return failure
}

// tooShort returns the error for a successful run that has produced a file that has a wrong number of frames or cannot be
// read. It assumes that a source has fewer frames than it claims, or none. The error names the element of the first
// damaged source or, if none is found damaged, of the first source. If there are no suspects, or the search fails, failure
// is returned.
func (r *run) tooShort(ctx context.Context, failure error, suspects []suspect) error {
	if ctx.Err() != nil || len(suspects) == 0 {
		return failure
	}
	r.log.WithError(failure).Warn("a window or frame is not complete: the videos shown in it are examined for damage")
	for _, s := range suspects {
		if r.sources[s.address].Asset.Format == "webp" {
			continue
		}
		if damaged, err := r.damaged(ctx, s); err != nil {
			return errors.Join(failure, err)
		} else if damaged {
			return artwork.Blame(s.ref, unreadable)
		}
	}
	return artwork.Blame(suspects[0].ref, unreadable)
}

const unreadable = "The file cannot be decoded: it is damaged or not complete"

func (r *run) damaged(ctx context.Context, s suspect) (bool, error) {
	dir, err := os.MkdirTemp(r.dir, "decode-")
	if err != nil {
		return false, err
	}
	src := r.sources[s.address]
	in := ffmpeg.Input{Path: src.Path, Format: src.Asset.Format}
	index := 0
	if s.sound {
		index = src.Asset.Media.Audio.Index
	} else {
		index, in.Decoder = src.Asset.Media.Video.Index, decoder(src.Asset.Media.Video)
	}
	var frames int64
	began := time.Now()
	limit, stall := r.engine.decodeLimit, r.engine.decodeStall
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{in}, Dir: dir, Read: []string{r.in}, Limit: limit, Stall: stall, Frame: func(n int64) { frames = n },
		Output: []string{"-map", pad(0, index), "-f", "null", "-"},
	})
	switch {
	case errors.As(err, new(*ffmpeg.ExitError)):
		return true, nil
	case errors.Is(err, ffmpeg.ErrStalled):
		return time.Since(began) < limit, nil
	}
	return err == nil && !s.sound && frames == 0, err
}
