package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"moviola/adapters/render/artwork"
	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/timeline"
)

// caption adds the movie's captions to the timeline, writes them into a file, and returns the file's path; empty: the movie
// has no captions.
func (r *run) caption(ctx context.Context) (string, error) {
	s := r.plan.Subtitles
	if s == nil {
		return "", nil
	}
	track, err := r.track(ctx, s)
	var fault *domain.Error
	if errors.As(err, &fault) {
		return "", artwork.Blame(s.Ref, fault.Message)
	}
	if err != nil || len(track.Cues) == 0 {
		return "", err
	}
	r.plan.Caption(s.Style.States(track))
	if err := r.openWords(); err != nil {
		return "", err
	}
	r.warnCaptions(track)
	path := filepath.Join(r.dir, "captions.ass")
	if err := os.WriteFile(path, s.Style.WriteASS(track, r.plan.Width, r.plan.Height), 0o600); err != nil {
		return "", fmt.Errorf("write captions: %w", err)
	}
	return path, nil
}

// track returns the captions: as given, from the texts of voices, or as a provider transcribes the sound.
func (r *run) track(ctx context.Context, s *timeline.Subtitles) (caption.Track, error) {
	if r.sketch != nil && s.Captions == "" {
		switch {
		case s.Source == "" && len(r.spoken()) == 0:
			r.sketch.Miss(s.Ref, "captions of the sound are made when the movie is rendered")
			return caption.Track{}, nil
		case s.Source != "" && r.sketch.Lacks(s.Source):
			return caption.Track{}, nil
		}
	}
	given := []byte(s.Captions)
	if s.Captions == "" && s.Source != "" {
		var err error
		if given, err = os.ReadFile(r.sources[s.Source].Path); err != nil {
			return caption.Track{}, fmt.Errorf("read captions: %w", err)
		}
	}
	if len(given) > 0 {
		track, err := caption.Parse(given)
		return s.Style.Apply(track), err
	}
	words := r.spoken()
	if len(words) == 0 {
		var err error
		if words, err = r.heard(ctx, s); err != nil {
			return caption.Track{}, err
		}
	}
	return s.Style.FromWords(words), nil
}

// spoken returns the words of the voices, on the movie's time line.
func (r *run) spoken() []caption.Word {
	var words []caption.Word
	for _, c := range r.plan.Audio {
		from, to := r.at(c.From), r.at(c.To)
		for _, w := range r.sources[c.Source].Words {
			w.Start, w.End = w.Start+from, min(w.End+from, to)
			if w.Start < to {
				words = append(words, w)
			}
		}
	}
	return words
}

// at returns the start time of a frame of the movie.
func (r *run) at(frame int64) time.Duration {
	return time.Duration(r.plan.FPS.Seconds(frame).Float() * float64(time.Second))
}
