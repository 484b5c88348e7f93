package browser

import (
	"context"
	"image"
	"time"

	"moviola/domain/timeline"
)

// Elements draws the html elements of movies. It is safe for concurrent use.
type Elements struct{ Pool *Pool }

// Still returns the element as a picture of w × h pixels. See Pool.Still.
func (e Elements) Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error) {
	return e.Pool.Still(ctx, pageOf(p, w, h))
}

// Frames hands out n frames of the element in w × h pixels. See Pool.Frames.
func (e Elements) Frames(
	ctx context.Context, p timeline.Page, w, h int, rate timeline.Rate, n int64, yield func(i int64, frame *image.NRGBA) error,
) error {
	return e.Pool.Frames(ctx, pageOf(p, w, h), rate, n, yield)
}

func pageOf(p timeline.Page, w, h int) Page {
	return Page{
		HTML: p.HTML, URL: p.Source, Width: w, Height: h, DPI: p.DPI, Tailwind: p.Tailwind, Style: p.Settings,
		Wait: time.Duration(p.Wait * float64(time.Second)), Finished: p.Finished, Now: p.Now, sealed: p.Sealed,
	}
}
