package timeline

import (
	"math"

	"moviola/domain/document"
)

// Effects change a layer's picture, in this order: colour key, colour correction, mirroring, motion within the box, the mask over
// the box, rotation about the box's middle, opacity, then fades. Key and correction may be applied before or after scaling. A
// rotated picture may extend beyond the box, everything else is clipped to it.
type Effects struct {
	ChromaKey    *ChromaKey
	Correction   *document.Correction // colour correction with the effect of ffmpeg's eq filter
	FlipX        bool                 // mirrored left to right
	FlipY        bool                 // upside down
	Motion       *Motion
	Mask         *Mask
	Rotation     *Rotation
	Transparency float64 // 0: opaque; 1: invisible. Alpha is multiplied by 1 - Transparency
}

// ChromaKey makes a colour transparent.
type ChromaKey struct {
	Color Color // colour that becomes transparent; its alpha is ignored
	// Similarity is the maximum chroma distance from Color at which a pixel becomes transparent, as a fraction of the maximum
	// possible distance: 0.01 (nearly this colour only) to 1 (everything).
	Similarity float64
}

// Mask is an image or video, stretched over the layer's box. The layer's alpha is multiplied by the brightness of the mask
// over black: the layer is visible where the mask is white, invisible where it is black.
type Mask struct {
	Source string // key of the mask's image or video in the map of Facts that Lay takes
	Video  bool   // the mask is a video: it is played once from the element's first frame, then its last frame is held
}

// Motion is a zoom or pan: it moves a view over the picture, and the view fills the layer's box. The picture is the layer's
// source, cropped and mirrored; a view of the unit square shows the whole picture. Areas outside of the picture are empty.
type Motion struct{ From, To View }

// View is a rectangle in a picture, in fractions of the picture's width and height, from its top left corner.
type View struct{ X, Y, W, H float64 }

// At returns the view at frame k of an element of life frames. The view changes linearly from the field From at the
// first frame to the field To at the last frame.
func (m Motion) At(k, life int64) View {
	done := 1.0
	if life > 1 {
		done = min(max(float64(k)/float64(life-1), 0), 1)
	}
	mix := func(a, b float64) float64 { return a + (b-a)*done }
	return View{mix(m.From.X, m.To.X), mix(m.From.Y, m.To.Y), mix(m.From.W, m.To.W), mix(m.From.H, m.To.H)}
}

// Rotation turns a layer around the middle of its box.
type Rotation struct {
	Degrees float64 // angle in degrees, clockwise
	// Frames is the duration of a turn through Degrees, from the element's first frame on; 0: the layer is rotated from the
	// start.
	Frames int64
	// Endless reports whether the rotation continues at the same speed. Otherwise the rotation stops at Degrees.
	Endless bool
}

// At returns the angle at frame k of the element, in degrees clockwise.
func (r Rotation) At(k int64) float64 {
	if r.Frames <= 0 {
		return r.Degrees
	}
	done := float64(k) / float64(r.Frames)
	if r.Endless {
		_, done = math.Modf(done)
	}
	return r.Degrees * min(done, 1)
}
