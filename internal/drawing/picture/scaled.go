package picture

import "image"

// Scale draws a picture into the rectangle box of a canvas, and returns the premultiplied pixels of that canvas inside visible, a
// part of box. Its memory depends on the size of visible, and on the width of src but not on its height.
func Scale(src image.Image, box, visible image.Rectangle) *image.RGBA {
	return (*Memory)(nil).scale(src, src.Bounds(), box, visible)
}
