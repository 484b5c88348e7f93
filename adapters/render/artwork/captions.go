package artwork

import (
	"context"
	"image"

	"moviola/domain"
	"moviola/domain/timeline"
	drawn "moviola/internal/drawing/captions"
)

// captions is the content of the captions layer in one window.
type captions struct {
	layer timeline.Layer
	set   *drawn.Setter
	last  int // index of the caption that the picture in field seen shows
	seen  *image.RGBA
}

// captions opens the captions of a window.
func (s *Drawer) captions(l timeline.Layer) (Content, error) {
	words, ok := s.Text.(drawn.Layouter)
	if !ok || l.Captions == nil {
		return nil, domain.Errorf(domain.Internal, "captions_unavailable", "Captions cannot be drawn on this server")
	}
	return &captions{layer: l, set: drawn.New(words, l.Captions.Style, s.W, s.H), last: -1}, nil
}

// Settled implements Content.
func (c *captions) Settled() int64 {
	shown := c.layer.Captions.Shown
	if len(shown) == 0 {
		return 0
	}
	return shown[len(shown)-1].To
}

// At implements Content.
func (c *captions) At(_ context.Context, k int64) (*image.RGBA, error) {
	for i, shown := range c.layer.Captions.Shown {
		if k < shown.From || k >= shown.To {
			continue
		}
		if i != c.last {
			img, err := c.set.Draw(shown.Rows)
			if err != nil {
				return nil, faultOf(c.layer.Ref, "draw captions", err)
			}
			c.last, c.seen = i, premultiplied(img, img.Rect.Min)
		}
		return c.seen, nil
	}
	return &image.RGBA{}, nil
}

func (c *captions) warnings() []string { return c.set.Warnings() }
