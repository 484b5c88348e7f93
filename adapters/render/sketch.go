package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// sketch is the state of a preview: it costs nothing, downloads only if asked to, and shows a labelled placeholder for every
// missing source. It is safe for concurrent use.
type sketch struct {
	fetch bool // sources may be downloaded
	w, h  int  // size of the placeholder for a picture or video: that of the movie

	mu      sync.Mutex
	lacking map[string]bool // keys of sources with a placeholder
	missing []string
}

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

// miss records that an element is not shown, each one once.
func (s *sketch) miss(ref timeline.Ref, why string) {
	text := elementName(ref) + ": " + why
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.missing, text) {
		s.missing = append(s.missing, text)
	}
}

// lacks reports whether a source has a placeholder.
func (s *sketch) lacks(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lacking[key]
}

// sketchSource returns a source that is available, or may be fetched. On any error it returns a placeholder.
func (r *run) sketchSource(ctx context.Context, w document.Source) (source, error) {
	got, err := r.atHand(ctx, w)
	var fault *domain.Error
	switch {
	case err == nil:
		return got, nil
	case ctx.Err() != nil:
		return source{}, context.Cause(ctx)
	case errors.Is(err, commands.ErrNotAtHand):
		r.sketch.miss(w.Ref, nameOf(w)+" is not loaded yet")
	case errors.As(err, &fault):
		r.sketch.miss(w.Ref, fault.Message)
	default:
		r.log.WithError(err).Warn("source of a preview not prepared; a placeholder is shown")
		r.sketch.miss(w.Ref, nameOf(w)+" could not be loaded")
	}
	return r.placeholder(w)
}

// atHand returns a source that is free of charge, or commands.ErrNotAtHand if there is none.
func (r *run) atHand(ctx context.Context, w document.Source) (source, error) {
	switch {
	case w.Kind == document.TypeVoice:
		if free, ok := r.engine.cfg.Speaker.(freeSpeaker); !ok || !free.AtHand(ctx, r.speechOf(w)) {
			return source{}, commands.ErrNotAtHand
		}
		return r.speak(ctx, w)
	case w.Prompt != nil:
		if free, ok := r.engine.cfg.Images.(freeImages); !ok || !free.AtHand(ctx, r.pictureOf(w)) {
			return source{}, commands.ErrNotAtHand
		}
		return r.generate(ctx, w)
	}
	if ofPreload(w.URL) {
		return source{}, commands.ErrNotAtHand
	}
	w.Fresh = false // a cached version is good enough for a preview
	kept := &ahead{run: r, atHand: true}
	got, err := kept.get(ctx, w)
	if !errors.Is(err, commands.ErrNotAtHand) || !r.sketch.fetch {
		return got, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, sketchFetch, commands.ErrNotAtHand)
	defer cancel()
	if got, err = r.download(limited, w); err != nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	return got, err
}

// nameOf names a source without its full address: the last part of the path.
func nameOf(w document.Source) string {
	switch {
	case w.Kind == document.TypeVoice:
		return "the voice"
	case w.Prompt != nil:
		return "the generated image"
	}
	if u, err := url.Parse(w.URL); err == nil && path.Base(u.Path) != "." && path.Base(u.Path) != "/" {
		return fmt.Sprintf("%.40s", path.Base(u.Path))
	}
	return "the file"
}

// placeholder makes a placeholder for a missing source.
func (r *run) placeholder(w document.Source) (source, error) {
	r.sketch.mu.Lock()
	if r.sketch.lacking == nil {
		r.sketch.lacking = map[string]bool{}
	}
	r.sketch.lacking[w.Key] = true
	r.sketch.mu.Unlock()
	asset := commands.Asset{Facts: timeline.Facts{Duration: sketchSeconds, HasAudio: true}}
	label := nameOf(w)
	switch w.Kind {
	case document.KindMask:
		label, asset.Format = "", "png"
		asset.Facts = timeline.Facts{Width: r.sketch.w, Height: r.sketch.h}
	case document.TypeImage, document.TypeVideo:
		asset.Format, asset.Facts = "png", timeline.Facts{Width: r.sketch.w, Height: r.sketch.h}
		if w.Kind == document.TypeVideo {
			asset.Facts.Duration, asset.Facts.HasVideo = sketchSeconds, true
		}
	case document.TypeAudio, document.TypeVoice:
	default:
		asset.Facts = timeline.Facts{}
	}
	hash, err := workspace.Key(struct{ Placeholder, Label string }{w.Kind, label})
	if err != nil {
		return source{}, err
	}
	asset.Hash, asset.Path = hash, filepath.Join(r.dir, "placeholder-"+hash)
	img := sized(image.White, 1, 1)
	switch {
	case w.Kind == document.KindMask:
		img = sized(image.White, r.sketch.w, r.sketch.h)
	case asset.Format != "":
		if img, err = r.written(label, float64(min(r.sketch.w, r.sketch.h))/12, r.sketch.w, r.sketch.h,
			image.NewUniform(sketchGround)); err != nil {
			return source{}, err
		}
	}
	return source{asset: asset}, writePNG(asset.Path, img)
}

// sized returns a part of an infinite image.
func sized(img image.Image, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

// The colours of a placeholder.
var (
	sketchGround = color.NRGBA{R: 0x3a, G: 0x3f, B: 0x4b, A: 0xff}
	sketchInk    = timeline.Color{R: 0xc8, G: 0xcd, B: 0xd8, A: 0xff}
)

// written draws a line of text in the middle of a picture, over ground.
func (r *run) written(line string, size float64, w, h int, ground image.Image) (*image.NRGBA, error) {
	img := sized(ground, w, h)
	drawing, err := r.engine.cfg.Text.Animate(timeline.Text{Text: line, Settings: timeline.TextSettings{
		FontFamily: "Inter", FontSize: size, FontWeight: 500, LineHeight: size * 1.2, Color: sketchInk,
		Align: timeline.AlignCenter, Horizontal: timeline.AlignCenter, Vertical: timeline.AlignMiddle,
	}}, w, h)
	if err != nil {
		return nil, fmt.Errorf("write %q into a preview: %w", line, err)
	}
	d, err := drawing.Frame(drawing.Settled())
	if err != nil {
		return nil, fmt.Errorf("write %q into a preview: %w", line, err)
	}
	if d.Image != nil {
		draw.Draw(img, d.Image.Rect.Sub(d.Image.Rect.Min).Add(d.At), d.Image, d.Image.Rect.Min, draw.Over)
	}
	return img, nil
}

func writePNG(to string, img image.Image) error {
	f, err := os.Create(to)
	if err != nil {
		return fmt.Errorf("write a placeholder: %w", err)
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := errors.Join(encoder.Encode(f, img), f.Close()); err != nil {
		return fmt.Errorf("write a placeholder: %w", err)
	}
	return nil
}

// sketched returns the content of a page that would have to be loaded: its cached picture, or a placeholder.
func (p *pages) sketched(l timeline.Layer, box image.Rectangle) content {
	return fixed(func(ctx context.Context) (*image.RGBA, error) {
		img, err := p.kept.still(ctx, l, func(context.Context, timeline.Layer) (*image.NRGBA, error) {
			return nil, commands.ErrNotAtHand
		})
		if errors.Is(err, commands.ErrNotAtHand) {
			p.sketch.miss(l.Ref, "the page is not loaded yet")
			img, err = sized(image.NewUniform(sketchGround), box.Dx(), box.Dy()), nil
		}
		if err != nil {
			return nil, faultOf(l.Ref, "draw page", err)
		}
		return premultiplied(img, box.Min), nil
	})
}
