package picture

import "image"

// Draw decodes the picture and returns what a canvas of w × h pixels shows of it.
func (s Still) Draw(w, h int) (*Layer, error) {
	img, err := s.Pixels(s.Box.Intersect(image.Rect(0, 0, w, h)))
	if err != nil || img.Rect.Empty() {
		return &Layer{}, err
	}
	return FromRGBA(img, w, h), nil
}
