package artwork

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
	"slices"
	"strings"
	"sync"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// previewHost is the base of made-up addresses for preload results in previews. They are never requested.
const previewHost = "https://preload.invalid/"

// MadeUp returns the made-up address of the result of a preload.
func MadeUp(id string) string { return previewHost + id }

// OfPreload reports whether an address is the made-up result of a preload.
func OfPreload(address string) bool { return strings.HasPrefix(address, previewHost) }

// Sketch is the state of a preview: it costs nothing, downloads only if asked to, and shows a placeholder for a missing
// source that would be seen. It is safe for concurrent use.
type Sketch struct {
	Fetch bool // sources may be downloaded
	W, H  int  // size of the placeholder for a picture or video: that of the movie

	mu      sync.Mutex
	lacking map[string]bool // keys of sources with a placeholder
	missing []string
}

// Miss records an element that the preview does not show, and the reason. The same reason is recorded once for an element.
func (s *Sketch) Miss(ref timeline.Ref, why string) {
	text := ElementName(ref) + ": " + why
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.missing, text) {
		s.missing = append(s.missing, text)
	}
}

// Lacks reports whether a source is missing, so that a placeholder is drawn in its place.
func (s *Sketch) Lacks(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lacking[key]
}

// Replace records that a source has a placeholder.
func (s *Sketch) Replace(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lacking == nil {
		s.lacking = map[string]bool{}
	}
	s.lacking[key] = true
}

// NotShown returns the elements that the preview does not show, with the reasons.
func (s *Sketch) NotShown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.missing)
}

// NameOf names a source without its full address: the last part of the path.
func NameOf(w document.Source) string {
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

// WritePlaceholder writes the picture of a placeholder to the path of its asset: white for a mask, a labelled picture for
// an image or video, and one white pixel for any other source.
func (s *Sketch) WritePlaceholder(asset commands.Asset, label string, mask bool, words TextDrawer) error {
	img := sized(image.White, 1, 1)
	switch {
	case mask:
		img = sized(image.White, s.W, s.H)
	case asset.Format != "":
		var err error
		if img, err = written(words, label, float64(min(s.W, s.H))/12, s.W, s.H, image.NewUniform(sketchGround)); err != nil {
			return err
		}
	}
	return writePNG(asset.Path, img)
}

// sized returns the part of w × h pixels at the origin of an infinite image.
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
func written(words TextDrawer, line string, size float64, w, h int, ground image.Image) (*image.NRGBA, error) {
	img := sized(ground, w, h)
	drawing, err := words.Animate(timeline.Text{Text: line, Settings: timeline.TextSettings{
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

// MarkPreview writes into the lower right corner of a picture that it is a preview.
func MarkPreview(words TextDrawer, img *image.NRGBA) error {
	size := max(10, max(img.Rect.Dx(), img.Rect.Dy())/64)
	badge := image.Rect(0, 0, min(6*size, img.Rect.Dx()), min(2*size, img.Rect.Dy()))
	drawn, err := written(words, "PREVIEW", float64(size), badge.Dx(), badge.Dy(), image.NewUniform(color.NRGBA{A: 0x90}))
	if err != nil {
		return err
	}
	draw.Draw(img, badge.Add(img.Rect.Max.Sub(badge.Max)), drawn, image.Point{}, draw.Over)
	return nil
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
func (p *MoviePages) sketched(l timeline.Layer, box, seen image.Rectangle) Content {
	return fixed(func(ctx context.Context) (*image.RGBA, error) {
		img, err := p.Kept.still(ctx, l, func(context.Context, timeline.Layer) (*image.NRGBA, error) {
			return nil, commands.ErrNotAtHand
		})
		if errors.Is(err, commands.ErrNotAtHand) {
			p.Sketch.Miss(l.Ref, "the page is not loaded yet")
			out := image.NewRGBA(seen)
			draw.Draw(out, seen, image.NewUniform(sketchGround), image.Point{}, draw.Src)
			return out, nil
		}
		if err != nil {
			return nil, faultOf(l.Ref, "draw page", err)
		}
		return premultiplied(img, box.Min), nil
	})
}
