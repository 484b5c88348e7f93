package artwork

import (
	"context"
	"image"

	"moviola/domain/timeline"
)

// Pages draws html elements and SVG drawings as pictures of w × h pixels, transparent where the page has no background
// (adapters/browser). A *domain.Error usually is the page's fault, or says that no browser is installed. It must be safe
// for concurrent use.
type Pages interface {
	// Still draws the page after it has been loaded.
	Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error)
	// Frames draws n frames of the loaded page, at the movie's rate, and passes each one to yield in order. A frame equal to the
	// one before is the same image.
	Frames(ctx context.Context, p timeline.Page, w, h int, rate timeline.Rate, n int64,
		yield func(i int64, frame *image.NRGBA) error) error
	// Drawing draws a part of an SVG drawing, transparent where the drawing has no content.
	Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error)
}
