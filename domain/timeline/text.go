package timeline

import (
	"slices"

	"moviola/domain/css"
)

// TextSettings are the settings of a text element, in pixels. The layer's box contains a textbox, which is as large as its
// lines and padding need; lines are broken to keep it within the width of the box.
type TextSettings struct {
	// family as in CSS: "Inter", or a list in order of preference, "Inter, 'Open Sans'"; empty: the default font
	FontFamily    string
	FontSize      float64 // size of the font, 1 to 2000
	FontWeight    int     // weight of the font, 100 to 900
	Italic        bool
	Color         Color
	Background    Color // background of the textbox; alpha 0: no background
	Align         Align // alignment of the lines in the textbox
	Horizontal    Align // position of the textbox in the layer's box
	Vertical      VerticalAlign
	LineHeight    float64 // distance between lines; 0: the line height of the font
	LetterSpacing float64
	Padding       Sides   // space between the textbox's edges and its lines
	Radius        float64 // corner radius of the textbox
	Shadow        *Shadow // shadow of the letters; nil: no shadow

	// FontSource is the key of a font file among the sources. FontFamily is used for letters that the file lacks.
	FontSource  string
	WordSpacing float64 // length that is added to the width of every blank
	Underline   bool
	LineThrough bool
	Overline    bool
	StrokeWidth float64 // width of the outline of the letters, half of it outside; 0: no outline
	StrokeColor Color
	Shadows     []Shadow // further shadows of the letters, below Shadow, the topmost first
	BorderWidth float64  // width of the border of the textbox, inside its edges; 0: no border
	BorderColor Color
	BoxShadow   *BoxShadow // shadow of the textbox; nil: no shadow
	Gradient    *Gradient  // gradient of the textbox, over Background; nil: no gradient
	Boxes       Boxes      // parts of the text that have a box of their own; empty: only the whole text has one
	Rules       bool       // a line is drawn above the text and a line below it
}

// Boxes determines which parts of a text have a background of their own.
type Boxes string

// The backgrounds of styles 011 and 013.
const (
	WordBoxes Boxes = "word" // each word has a box
	// PillBoxes are boxes of phrases, each phrase on a line: with round ends, slightly rotated and shifted.
	PillBoxes Boxes = "pill"
)

// Scaled returns the settings for drawing the text at another scale. Every length is multiplied by the factor.
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

// BoxShadow is the shadow of the textbox. It is larger than the textbox by Spread on each side.
type BoxShadow struct {
	Shadow
	Spread float64
}

// Gradient is a change between colours, linear or radial; Stop is one of the colours.
type (
	Gradient = css.Gradient
	Stop     = css.Stop
)

// Sides are lengths at the four sides of a box.
type Sides struct{ Top, Right, Bottom, Left float64 }

// Shadow is a shadow of the letters.
type Shadow struct {
	X, Y, Blur float64 // offset to the right and down, and blur, all in pixels
	Color      Color
}

// Align is a horizontal alignment.
type Align string

// The horizontal alignments.
const (
	AlignLeft   Align = "left"
	AlignCenter Align = "center"
	AlignRight  Align = "right"
	// for lines only: flush at both edges, except for the last line of a paragraph, which is flush at its start
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
