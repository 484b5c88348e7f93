package artwork

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// Content is the picture of a layer before its effects. It is used by one goroutine at a time.
type Content interface {
	// At draws frame k of the element at its position on the canvas, with premultiplied alpha. The returned picture does not
	// change afterwards; equal frames may be the same picture.
	At(ctx context.Context, k int64) (*image.RGBA, error)
	// Settled is the first frame of the element from which on the picture does not change.
	Settled() int64
}

// settledFrame is the first frame at or after the time at which a drawing stops changing.
func settledFrame(seconds float64, rate timeline.Rate) int64 {
	return int64(math.Ceil(seconds*float64(rate.Num)/float64(rate.Den) - 1e-9))
}

// fixed is content that never changes. It is drawn on demand.
type fixed func(ctx context.Context) (*image.RGBA, error)

// At implements Content.
func (f fixed) At(ctx context.Context, _ int64) (*image.RGBA, error) { return f(ctx) }

// Settled implements Content.
func (f fixed) Settled() int64 { return 0 }

// filled is content of one colour.
func filled(l timeline.Layer, seen image.Rectangle) fixed {
	return func(context.Context) (*image.RGBA, error) {
		img := image.NewRGBA(seen)
		c := color.NRGBA{R: l.Color.R, G: l.Color.G, B: l.Color.B, A: l.Color.A}
		draw.Draw(img, seen, image.NewUniform(c), image.Point{}, draw.Src)
		return img, nil
	}
}

// animated is the content of a text or a component.
type animated struct {
	drawing text.Animated
	box     timeline.Box
	rate    timeline.Rate
	ref     timeline.Ref
}

// Settled implements Content.
func (a animated) Settled() int64 { return settledFrame(a.drawing.Settled(), a.rate) }

// drawn returns frame k of the drawing, and its position on the canvas.
func (a animated) drawn(k int64) (text.Drawing, image.Point, error) {
	d, err := a.drawing.Frame(float64(k) * float64(a.rate.Den) / float64(a.rate.Num))
	if err != nil {
		return text.Drawing{}, image.Point{}, faultOf(a.ref, "draw", err)
	}
	return d, image.Pt(a.box.X, a.box.Y).Add(d.At), nil
}

// At implements Content.
func (a animated) At(_ context.Context, k int64) (*image.RGBA, error) {
	d, at, err := a.drawn(k)
	if err != nil || d.Image == nil {
		return &image.RGBA{}, err
	}
	return premultiplied(d.Image, at), nil
}

// premultiplied returns a picture with premultiplied alpha whose origin is a point of the canvas.
func premultiplied(img *image.NRGBA, at image.Point) *image.RGBA {
	out := image.NewRGBA(img.Rect.Sub(img.Rect.Min).Add(at))
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Src)
	return out
}

// photo is the content of a still picture file. Each picture that it returns is a new one.
type photo struct{ fixed }

// photo opens the content of a still picture file.
func (s *Drawer) photo(l timeline.Layer, box, seen image.Rectangle) photo {
	return photo{func(ctx context.Context) (*image.RGBA, error) {
		img, err := s.pixels(ctx, s.Source(l.Source), Rectangle(l.Crop), box, seen)
		return img, ImageFault(l.Ref, err)
	}}
}

// Content returns the content of the layer l. box is the rectangle in which the content is drawn. seen is the part of box
// that is needed.
func (s *Drawer) Content(ctx context.Context, l timeline.Layer, box, seen image.Rectangle) (Content, error) {
	switch l.Kind {
	case timeline.ImageLayer:
		return s.photo(l, box, seen), nil
	case timeline.ColorLayer:
		return filled(l, seen), nil
	case timeline.TextLayer:
		if l.Text == nil || l.Box.W <= 0 || l.Box.H <= 0 {
			return filled(timeline.Layer{}, image.Rectangle{}), nil
		}
		drawing, err := s.Text.Animate(*l.Text, l.Box.W, l.Box.H)
		if err != nil {
			return nil, faultOf(l.Ref, "draw text", err)
		}
		return animated{drawing, l.Box, s.Rate, l.Ref}, nil
	case timeline.ComponentLayer:
		drawing, err := s.opened(ctx, l)
		if err != nil {
			return nil, faultOf(l.Ref, "draw component", err)
		}
		return animated{drawing, l.Box, s.Rate, l.Ref}, nil
	case timeline.HTMLLayer:
		return s.Pages.content(l, box, seen)
	case timeline.AudiogramLayer:
		return s.waveform(l, box, seen)
	case timeline.CaptionLayer:
		return s.captions(l)
	}
	return nil, fmt.Errorf("layer of unknown kind %q", l.Kind)
}
