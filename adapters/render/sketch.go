package render

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// Assumed facts about missing sources.
const (
	sketchSeconds = 5.0
	// sketchFetch is the time limit for a source: a preview waits no longer.
	sketchFetch = 5 * time.Second
)

// freeSpeaker and freeImages can say that a request costs nothing: the result is cached, or the program makes it itself.
type freeSpeaker interface {
	AtHand(ctx context.Context, request commands.SpeechRequest) bool
}
type freeImages interface {
	AtHand(ctx context.Context, request commands.ImageRequest) bool
}

// sketchSource returns a source that is available, or may be fetched. On any error but the end of ctx it returns a
// placeholder.
func (r *run) sketchSource(ctx context.Context, w document.Source) (artwork.Source, error) {
	got, err := r.atHand(ctx, w)
	var fault *domain.Error
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil:
		return artwork.Source{}, context.Cause(ctx)
	case errors.Is(err, commands.ErrNotAtHand):
		r.sketch.Miss(w.Ref, artwork.NameOf(w)+" is not loaded yet")
	case errors.As(err, &fault):
		r.sketch.Miss(w.Ref, fault.Message)
	default:
		r.log.WithError(err).Warn("source of a preview not prepared; a placeholder is shown")
		r.sketch.Miss(w.Ref, artwork.NameOf(w)+" could not be loaded")
	}
	return r.placeholder(w)
}

// atHand returns a source that is free of charge, or commands.ErrNotAtHand if there is none.
func (r *run) atHand(ctx context.Context, w document.Source) (artwork.Source, error) {
	switch {
	case w.Kind == document.TypeVoice:
		if free, ok := r.engine.cfg.Speaker.(freeSpeaker); !ok || !free.AtHand(ctx, r.speechOf(w)) {
			return artwork.Source{}, commands.ErrNotAtHand
		}
		return r.speak(ctx, w)
	case w.Prompt != nil:
		if free, ok := r.engine.cfg.Images.(freeImages); !ok || !free.AtHand(ctx, r.pictureOf(w)) {
			return artwork.Source{}, commands.ErrNotAtHand
		}
		return r.generate(ctx, w)
	}
	if artwork.OfPreload(w.URL) {
		return artwork.Source{}, commands.ErrNotAtHand
	}
	w.Fresh = false // a cached version is good enough for a preview
	kept := &ahead{run: r, atHand: true}
	got, err := kept.get(ctx, w)
	if !errors.Is(err, commands.ErrNotAtHand) || !r.sketch.Fetch {
		return got, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, sketchFetch, commands.ErrNotAtHand)
	defer cancel()
	if got, err = r.download(limited, w); err != nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	return got, err
}

// placeholder makes a placeholder for a missing source.
func (r *run) placeholder(w document.Source) (artwork.Source, error) {
	r.sketch.Replace(w.Key)
	asset := commands.Asset{Facts: timeline.Facts{Duration: sketchSeconds, HasAudio: true}}
	label := artwork.NameOf(w)
	switch w.Kind {
	case document.KindMask:
		label, asset.Format = "", "png"
		asset.Facts = timeline.Facts{Width: r.sketch.W, Height: r.sketch.H}
	case document.TypeImage, document.TypeVideo:
		asset.Format, asset.Facts = "png", timeline.Facts{Width: r.sketch.W, Height: r.sketch.H}
		if w.Kind == document.TypeVideo {
			asset.Facts.Duration, asset.Facts.HasVideo = sketchSeconds, true
		}
	case document.TypeAudio, document.TypeVoice:
	default:
		asset.Facts = timeline.Facts{}
	}
	hash, err := workspace.Key(struct{ Placeholder, Label string }{w.Kind, label})
	if err != nil {
		return artwork.Source{}, err
	}
	asset.Hash, asset.Path = hash, filepath.Join(r.dir, "placeholder-"+hash)
	return artwork.Source{Asset: asset}, r.sketch.WritePlaceholder(asset, label, w.Kind == document.KindMask, r.engine.cfg.Text)
}
