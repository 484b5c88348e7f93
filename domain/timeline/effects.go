package timeline

import (
	"math"

	"moviola/domain/document"
)

// Effects change a layer's picture, in this order: the colour key, the correction of colours, mirroring, the motion within
// the box, the mask over the box, the turn around the box's middle, opacity. Key and correction may be applied before or after
// scaling. What is turned may reach over the box, everything else is cut by it. Fades come on top.
type Effects struct {
	ChromaKey    *ChromaKey
	Correction   *document.Correction // as ffmpeg's eq filter does it
	FlipX        bool                 // mirrored left to right
	FlipY        bool                 // upside down
	Motion       *Motion
	Mask         *Mask
	Rotation     *Rotation
	Transparency float64 // 0: as it is; 1: invisible. Alpha is multiplied by 1 - Transparency
}

// ChromaKey makes a colour transparent.
type ChromaKey struct {
	Color Color // its alpha means nothing
	// Similarity is 0.01 (this colour only) to 1 (everything): the distance of the chroma from Color's, as a share of the distance
	// to the colour that is farthest from it, up to which a pixel is transparent.
	Similarity float64
}

// Mask is an image or video, stretched over the layer's box. Its brightness, over black where it is transparent, is multiplied
// into the alpha: white shows, black hides.
type Mask struct {
	Source string // key among the facts
	Video  bool   // it plays once from the element's first frame on; then its last frame stays
}

// Motion is zoom and pan: what the layer's box shows of the picture. The picture is the layer's source, cropped and mirrored,
// which would fill the box if View were the unit square. Outside of the picture nothing is shown.
type Motion struct{ From, To View }

// View is a part of a picture, in shares of its width and height from its top left corner.
type View struct{ X, Y, W, H float64 }

// At is the view at frame k of an element of life frames: From at its first one, To at its last one, evenly in between.
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
	Degrees float64 // clockwise
	// Frames is how long turning through Degrees takes, from the element's first frame on; 0: it is turned all the time.
	Frames int64
	// Endless turns go on at the same speed. Others stop at Degrees.
	Endless bool
}

// At is the angle at frame k of the element, in degrees clockwise.
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
