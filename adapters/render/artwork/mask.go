package artwork

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"

	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// mask returns the picture whose brightness becomes the alpha of a layer, stretched over its box.
func (s *Drawer) mask(ctx context.Context, l timeline.Layer, box image.Rectangle) (*image.Gray, error) {
	src := s.Source(l.Effects.Mask.Source)
	seen := box
	if l.Effects.Rotation == nil {
		seen = box.Intersect(image.Rect(0, 0, s.W, s.H))
	}
	img, err := s.pixels(ctx, src, image.Rectangle{}, box, seen)
	if err != nil {
		return nil, ImageFault(l.Ref, err)
	}
	return picture.Mask(img), nil
}

// Over returns a Drawer for a canvas of another size. It has an empty cache of drawings.
func (s *Drawer) Over(w, h int) *Drawer {
	return &Drawer{
		Dir: s.Dir, W: w, H: h, Rate: s.Rate, Text: s.Text, Pages: s.Pages, Sound: s.Sound, Heard: s.Heard, Source: s.Source,
	}
}

// MaskFile writes the mask of a layer as grey pixels.
func (s *Drawer) MaskFile(ctx context.Context, l timeline.Layer, box image.Rectangle) (string, error) {
	mask, err := s.mask(ctx, timeline.Layer{Ref: l.Ref,
		Effects: &timeline.Effects{Mask: l.Effects.Mask, Rotation: &timeline.Rotation{}}}, box)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(s.Dir, "mask-*.gray")
	if err != nil {
		return "", fmt.Errorf("write mask: %w", err)
	}
	_, err = f.Write(mask.Pix)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write mask: %w", err)
	}
	return f.Name(), nil
}
