package timeline

import (
	"math"

	"moviola/domain/document"
)

// gapPercent is the distance, in per cent of the canvas's width or height, between an element with a preset position and the edge
// of the canvas.
const gapPercent = 5

// maxBoxSide is the maximum side of a box in pixels. It limits the memory for drawing the box.
const maxBoxSide = 16384

func checkBox(ref Ref, b Box) error {
	if b.W > maxBoxSide || b.H > maxBoxSide {
		return elementError(ref,
			"The element is %dx%d pixels large, more than the %d allowed. Make 'width' or 'height' smaller", b.W, b.H, maxBoxSide)
	}
	return nil
}

// usedPart returns the rectangle of the source that an element uses. Elements that are not cropped, and sounds, use the whole
// source. ok is false when the crop leaves nothing; the rectangle is the whole source then.
func usedPart(e *document.Element, f Facts) (part Box, ok bool) {
	whole := Box{W: f.Width, H: f.Height}
	if e.Crop == nil {
		return whole, true
	}
	left, top := max(e.Crop.X, 0), max(e.Crop.Y, 0)
	right, bottom := min(e.Crop.X+e.Crop.W, f.Width), min(e.Crop.Y+e.Crop.H, f.Height)
	if right <= left || bottom <= top {
		return whole, false
	}
	return Box{left, top, right - left, bottom - top}, true
}

// box returns the box in which an image or video is drawn, and the part of its source that fills the box; the zero part is
// the whole source. Movie-schema §3.1.
func (l *layout) box(e *document.Element, f Facts) (box, crop Box) {
	part, _ := usedPart(e, f)
	canvas := Box{W: l.plan.Width, H: l.plan.Height}
	switch e.Resize {
	case document.Cover:
		box, part = canvas, coverPart(part, canvas)
		box.X, box.Y = e.X, e.Y
	case document.Fit:
		box.W, box.H = fitSize(part, canvas)
		l.put(&box, e, 0) // no gap, because the box is meant to touch the edges
	default:
		box.W, box.H = drawnSize(e, part)
		l.put(&box, e, gapPercent)
	}
	if (part == Box{W: f.Width, H: f.Height}) {
		part = Box{}
	}
	return box, part
}

// coverPart returns the largest rectangle in the middle of part that has the canvas's aspect ratio. part is a rectangle of
// the source.
func coverPart(part, canvas Box) Box {
	w := min(part.W, max(1, scale(part.H, canvas.W, canvas.H)))
	h := min(part.H, max(1, scale(part.W, canvas.H, canvas.W)))
	return Box{part.X + (part.W-w)/2, part.Y + (part.H-h)/2, w, h}
}

// fitSize returns the largest size within the canvas that has the aspect ratio of part, a rectangle of the source.
func fitSize(part, canvas Box) (w, h int) {
	w = min(canvas.W, max(1, scale(canvas.H, part.W, part.H)))
	h = min(canvas.H, max(1, scale(canvas.W, part.H, part.W)))
	return w, h
}

// drawnSize returns the size that width and height ask for. A missing side follows from the given side by the aspect ratio.
// When both are missing, the size is that of the source.
func drawnSize(e *document.Element, part Box) (w, h int) {
	switch {
	case e.Width > 0 && e.Height > 0:
		return e.Width, e.Height
	case e.Width > 0:
		return e.Width, max(1, scale(e.Width, part.H, part.W))
	case e.Height > 0:
		return max(1, scale(e.Height, part.W, part.H)), e.Height
	}
	return part.W, part.H
}

// scale is n · num / den, rounded half up. A result that is too large is capped, and a later check refuses it.
func scale(n, num, den int) int {
	return int(min(math.Floor(float64(n)*float64(num)/float64(den)+0.5), math.MaxInt32))
}

// put moves a box to the element's position. x and y are the top left corner for a custom position, and offsets for the other
// positions (decision 26). The corner of a box that is fitted to the canvas cannot be set, so a custom position means the
// middle.
func (l *layout) put(box *Box, e *document.Element, gap int) {
	position := e.Position
	if e.Resize == document.Fit && position == document.Custom {
		position = document.Center
	}
	h, v := edges(position)
	box.X = e.X + place(h, l.plan.Width, box.W, gap)
	box.Y = e.Y + place(v, l.plan.Height, box.H, gap)
}

// edge is the place of a box along one axis: near, middle, far, or free when the position gives none.
type edge int

const (
	free edge = iota
	near      // left or top
	middle
	far // right or bottom
)

func edges(p document.Position) (horizontal, vertical edge) {
	at, ok := map[document.Position][2]edge{
		document.TopLeft: {near, near}, document.TopCenter: {middle, near}, document.TopRight: {far, near},
		document.CenterLeft: {near, middle}, document.Center: {middle, middle}, document.CenterRight: {far, middle},
		document.BottomLeft: {near, far}, document.BottomCenter: {middle, far}, document.BottomRight: {far, far},
	}[p]
	if !ok {
		return free, free
	}
	return at[0], at[1]
}

// place returns the first pixel of a side of the given size in a canvas of the given length, gap per cent from the canvas's
// edge.
func place(at edge, canvas, size, gap int) int {
	margin := scale(canvas, gap, 100)
	switch at {
	case near:
		return margin
	case middle:
		return (canvas - size) / 2
	case far:
		return canvas - size - margin
	}
	return 0
}
