package timeline

import (
	"slices"

	"moviola/domain/css"
)

// TextSettings are the settings of a text element, in pixels. The layer's box contains a textbox, which is as large as its lines
// and padding need, and at most as wide as the box.
type TextSettings struct {
	FontFamily    string  // as in CSS: "Inter", or a list in order of preference, "Inter, 'Open Sans'"; empty: the default
	FontSize      float64 // 1 to 2000
	FontWeight    int     // 100 to 900
	Italic        bool
	Color         Color
	Background    Color // of the textbox; alpha 0: none
	Align         Align // alignment of the lines in the textbox
	Horizontal    Align // position of the textbox in its box
	Vertical      VerticalAlign
	LineHeight    float64 // distance between lines; 0: the line height of the font
	LetterSpacing float64
	Padding       Sides   // space between the textbox's edges and its lines
	Radius        float64 // corner radius of the textbox
	Shadow        *Shadow // of the letters; nil: none

	// FontSource is the key of a font file among the sources. FontFamily is used for letters that the file lacks.
	FontSource  string
	WordSpacing float64 // added to the width of every blank
	Underline   bool
	LineThrough bool
	Overline    bool
	StrokeWidth float64 // width of the outline of the letters, half of it outside; 0: none
	StrokeColor Color
	Shadows     []Shadow // further shadows of the letters, below Shadow, the topmost first
	BorderWidth float64  // width of the border of the textbox, inside its edges; 0: none
	BorderColor Color
	BoxShadow   *BoxShadow // of the textbox; nil: none
	Gradient    *Gradient  // of the textbox, over Background; nil: none
	Boxes       Boxes      // the parts of the text with a box of their own; empty: the whole text
	Rules       bool       // draw a line above and a line below the text
}

// Boxes says which parts of a text have a background of their own.
type Boxes string

// The backgrounds of styles 011 and 013.
const (
	WordBoxes Boxes = "word" // each word
	// PillBoxes are boxes of phrases, each phrase on a line: with round ends, slightly rotated and shifted.
	PillBoxes Boxes = "pill"
)

// Scaled returns the settings for drawing the text at another scale: every length is multiplied.
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

// BoxShadow is the shadow of the textbox, larger than it by Spread on each side.
type BoxShadow struct {
	Shadow
	Spread float64
}

// Gradient is a linear change between colours; Stop is one of the colours.
type (
	Gradient = css.Gradient
	Stop     = css.Stop
)

// Sides are lengths at the four sides of a box.
type Sides struct{ Top, Right, Bottom, Left float64 }

// Shadow is a shadow of the letters.
type Shadow struct {
	X, Y, Blur float64 // pixels
	Color      Color
}

// Align is a horizontal alignment.
type Align string

// The horizontal alignments.
const (
	AlignLeft   Align = "left"
	AlignCenter Align = "center"
	AlignRight  Align = "right"
	// of lines only: flush at both edges, except for the last line of a paragraph, which is flush at its start
	AlignJustify Align = "justify"
)

// VerticalAlign is a vertical alignment.
type VerticalAlign string

// The vertical alignments.
const (
	AlignTop    VerticalAlign = "top"
	AlignMiddle VerticalAlign = "center"
	AlignBottom VerticalAlign = "bottom"
)
