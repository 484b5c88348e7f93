package render

import (
	"image"

	"moviola/adapters/render/component"
	"moviola/adapters/render/picture"
	"moviola/adapters/render/text"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// opened prepares the component of a layer.
func (s *stills) opened(l timeline.Layer) (text.Animated, error) {
	words, ok := s.text.(*text.Engine)
	if !ok || l.Component == nil {
		return nil, domain.Errorf(domain.Internal, "component_unavailable", "Components cannot be drawn on this server")
	}
	return component.New(words, s.picture).Open(*l.Component, l.Box.W, l.Box.H)
}

// maxLoaded bounds the sides of a picture that a component shows.
const maxLoaded = 2048

// picture decodes a picture that stands in a component's settings. What is not among the sources is left out.
func (s *stills) picture(address string) (image.Image, error) {
	key := document.AddressOf(address)
	if key == "" {
		key = address
	}
	src := s.source(key)
	if src.path == "" || src.asset.Media != nil || src.asset.Facts.Width == 0 {
		return nil, nil
	}
	w, h := fit(src.asset.Facts.Width, src.asset.Facts.Height, maxLoaded)
	box := image.Rect(0, 0, w, h)
	img, err := picture.Still{Path: src.path, Format: src.asset.Format, Orientation: src.asset.Orientation, Box: box}.Pixels(box)
	if err != nil {
		return nil, err
	}
	return img, nil
}
