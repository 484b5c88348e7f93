package render

import (
	"context"
	"image"

	"moviola/domain/timeline"
)

// Pages draws html elements, and drawings in SVG, in pictures of w × h pixels, clear where the page has no background
// (adapters/browser). A *domain.Error is the page's fault. It must be safe for concurrent use.
type Pages interface {
	// Still draws the page after it has been loaded.
	Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error)
	// Frames draws n frames from that moment on, at the movie's rate, and hands each out in order. A frame like the one before is
	// the same image.
	Frames(ctx context.Context, p timeline.Page, w, h int, rate timeline.Rate, n int64,
		yield func(i int64, frame *image.NRGBA) error) error
	// Drawing draws a part of an SVG drawing, clear where it shows nothing.
	Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error)
}
