package caption

// Align is the alignment of a block of captions on one axis, relative to its anchor.
type Align int8

// The alignments. Start is left or top.
const (
	Start  Align = -1
	Middle Align = 0
	End    Align = 1
)

// Anchor is the point of the movie, in pixels, at which a block of captions is placed, and the alignment of the block relative to
// that point. Horizontal is also the alignment of the lines in the block.
type Anchor struct {
	X, Y       float64
	Horizontal Align
	Vertical   Align
}

// margin is the distance from the movie's edges, as a fraction of its width or height.
const margin = 0.05

// Anchor returns the position of the captions in a movie of the given size in pixels.
func (s Style) Anchor(width, height int) Anchor {
	w, h := float64(width), float64(height)
	a := Anchor{X: w / 2, Y: h / 2}
	switch s.Position {
	case Custom:
		return Anchor{X: s.X, Y: s.Y, Horizontal: Middle, Vertical: Start}
	case MidTopCenter:
		a.Y = h / 4
		return a
	case MidBottomCenter:
		a.Y = h * 3 / 4
		return a
	case TopLeft, CenterLeft, BottomLeft:
		a.X, a.Horizontal = w*margin, Start
	case TopRight, CenterRight, BottomRight:
		a.X, a.Horizontal = w*(1-margin), End
	}
	switch s.Position {
	case TopLeft, TopCenter, TopRight:
		a.Y, a.Vertical = h*margin, Start
	case BottomLeft, BottomCenter, BottomRight, "":
		a.Y, a.Vertical = h*(1-margin), End
	}
	return a
}
