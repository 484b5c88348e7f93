package artwork

import (
	"context"
	"image"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/text"
)

// opened prepares the component of a layer.
func (s *Drawer) opened(ctx context.Context, l timeline.Layer) (text.Animated, error) {
	words, ok := s.Text.(*text.Engine)
	if !ok || l.Component == nil {
		return nil, domain.Errorf(domain.Internal, "component_unavailable", "Components cannot be drawn on this server")
	}
	load := func(address string) (image.Image, error) { return s.picture(ctx, address, max(l.Box.W, l.Box.H)) }
	return component.New(words, load).Open(*l.Component, l.Box.W, l.Box.H)
}

// maxLoaded is the largest side in pixels of a picture inside a component.
const maxLoaded = 2048

// picture decodes a picture named in a component's settings; an SVG drawing becomes as large as the component's longer
// side. nil: the address is not that of a still picture among the sources.
func (s *Drawer) picture(ctx context.Context, address string, side int) (image.Image, error) {
	key := document.AddressOf(address)
	if key == "" {
		key = address
	}
	src := s.Source(key)
	if src.Path == "" || src.Asset.Media != nil || src.Asset.Facts.Width == 0 {
		return nil, nil
	}
	w, h := Fit(src.Asset.Facts.Width, src.Asset.Facts.Height, maxLoaded)
	if src.isDrawing() {
		near := float64(min(side, maxLoaded)) / float64(max(w, h))
		w, h = max(1, int(near*float64(w))), max(1, int(near*float64(h)))
	}
	box := image.Rect(0, 0, w, h)
	img, err := s.pixels(ctx, src, image.Rectangle{}, box, box)
	if err != nil {
		return nil, err
	}
	return img, nil
}

// Fit returns the size w × h scaled down so that the longer side is at most limit and both sides are even. A size whose
// longer side is at most limit is returned unchanged.
func Fit(w, h, limit int) (int, int) {
	long := max(w, h)
	if long <= limit {
		return w, h
	}
	side := func(n int) int { return max(2, n*limit/long&^1) }
	return side(w), side(h)
}
