package timeline

import (
	"slices"

	"moviola/domain/css"
)

// TextSettings are the settings of a text element, resolved to pixels. The layer's box holds a textbox, which is as wide and
// high as its lines and padding need, at most as wide as the box.
type TextSettings struct {
	FontFamily    string  // as in CSS: "Inter", or several by preference, "Inter, 'Open Sans'"; empty: the default
	FontSize      float64 // 1 to 2000
	FontWeight    int     // 100 to 900
	Italic        bool
	Color         Color
	Background    Color // of the textbox; alpha 0: none
	Align         Align // of the lines
	Horizontal    Align // of the textbox in its canvas
	Vertical      VerticalAlign
	LineHeight    float64 // from line to line; 0: as the font wants it
	LetterSpacing float64
	Padding       Sides   // between the textbox's edges and its lines
	Radius        float64 // of the textbox's corners
	Shadow        *Shadow // of the letters; nil: none

	// FontSource is the key of a font file among the sources. It comes before FontFamily, which serves where it has no letter.
	FontSource  string
	WordSpacing float64 // added to every blank
	Underline   bool
	LineThrough bool
	Overline    bool
	StrokeWidth float64 // of the line around the letters, half of it outside; 0: none
	StrokeColor Color
	Shadows     []Shadow // of the letters, further ones below Shadow, the topmost first
	BorderWidth float64  // of the line around the textbox, inside its edges; 0: none
	BorderColor Color
	BoxShadow   *BoxShadow // of the textbox; nil: none
	Gradient    *Gradient  // of the textbox, over Background; nil: none
	Boxes       Boxes      // what has a box of its own; empty: the text
	Rules       bool       // a line lies above the text and one below it
}

// Boxes are what has a background of its own.
type Boxes string

// The backgrounds of styles 011 and 013.
const (
	WordBoxes Boxes = "word" // each word
	// PillBoxes are those of phrases, each of which is a line of the text: with round ends, slightly turned and out of line.
	PillBoxes Boxes = "pill"
)

// Scaled are the settings of the same text drawn larger or smaller: every length is multiplied.
func (t TextSettings) Scaled(by float64) TextSettings {
	for _, length := range []*float64{
		&t.FontSize, &t.LineHeight, &t.LetterSpacing, &t.Padding.Top, &t.Padding.Right, &t.Padding.Bottom, &t.Padding.Left,
		&t.Radius, &t.WordSpacing, &t.StrokeWidth, &t.BorderWidth,
	} {
		*length *= by
	}
	scaled := func(s Shadow) Shadow {
		s.X, s.Y, s.Blur = s.X*by, s.Y*by, s.Blur*by
		return s
	}
	if t.Shadow != nil {
		one := scaled(*t.Shadow)
		t.Shadow = &one
	}
	if t.BoxShadow != nil {
		t.BoxShadow = &BoxShadow{Shadow: scaled(t.BoxShadow.Shadow), Spread: t.BoxShadow.Spread * by}
	}
	t.Shadows = slices.Clone(t.Shadows)
	for i := range t.Shadows {
		t.Shadows[i] = scaled(t.Shadows[i])
	}
	return t
}

// BoxShadow is a copy of the textbox behind it, larger by Spread on each side.
type BoxShadow struct {
	Shadow
	Spread float64
}

// Gradient is an even change of colours, and Stop a colour of it.
type (
	Gradient = css.Gradient
	Stop     = css.Stop
)

// Sides are lengths at the four sides of a box.
type Sides struct{ Top, Right, Bottom, Left float64 }

// Shadow is a copy of the text behind it.
type Shadow struct {
	X, Y, Blur float64 // pixels
	Color      Color
}

// Align is a place between left and right.
type Align string

// The horizontal places.
const (
	AlignLeft    Align = "left"
	AlignCenter  Align = "center"
	AlignRight   Align = "right"
	AlignJustify Align = "justify" // of lines only: both edges, but for a paragraph's last line, which is flush at its start
)

// VerticalAlign is a place between top and bottom.
type VerticalAlign string

// The vertical places.
const (
	AlignTop    VerticalAlign = "top"
	AlignMiddle VerticalAlign = "center"
	AlignBottom VerticalAlign = "bottom"
)
