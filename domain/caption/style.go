package caption

import "moviola/domain/document"

// Color is a colour of 8 bits per channel, not premultiplied.
type Color = document.Color

// StyleName is one of the ways of showing words.
type StyleName string

// The values of the setting style (schema 4.8).
const (
	Classic     StyleName = "classic"             // the whole cue is shown; the spoken word has its own colour
	Progressive StyleName = "classic-progressive" // each word is shown from the moment when it is spoken
	OneWord     StyleName = "classic-one-word"    // only the spoken word is shown
	BoxedLine   StyleName = "boxed-line"          // as Classic, with a box behind each line
	BoxedWord   StyleName = "boxed-word"          // as Classic, with a box behind the spoken word
)

// Position is the place of the captions in the movie.
type Position string

// The positions of the setting position (schema 4.8).
const (
	TopLeft         Position = "top-left"
	TopCenter       Position = "top-center"
	TopRight        Position = "top-right"
	CenterLeft      Position = "center-left"
	CenterCenter    Position = "center-center"
	CenterRight     Position = "center-right"
	BottomLeft      Position = "bottom-left"
	BottomCenter    Position = "bottom-center"
	BottomRight     Position = "bottom-right"
	MidTopCenter    Position = "mid-top-center"
	MidBottomCenter Position = "mid-bottom-center"
	Custom          Position = "custom" // X, Y is the middle of the block's upper edge
)

// Style is the look of captions. Lengths are in pixels of the movie.
type Style struct {
	Name     StyleName
	AllCaps  bool
	Family   string // font family, or several in order of preference, separated by commas; empty: none is given
	FontURL  string // address of a font file of the family; empty: an installed font is used
	Size     float64
	Weight   int // weight of the font, 100 to 900
	Position Position
	X, Y     float64 // position in the movie for Custom, in pixels

	Word    Color // colour of the spoken word
	Line    Color // colour of the words that are not being spoken
	Box     Color // colour of the box of BoxedLine and BoxedWord
	Outline Color
	Shadow  Color

	OutlineWidth float64 // width of the outline; 0: no outline
	ShadowOffset float64 // distance of the shadow to the right and down; 0: no shadow

	MaxWords int  // maximum number of words per line; 0: lines stay as in the caption file
	Rebreak  bool // MaxWords was set by the settings, so it also applies to captions from a file

	Keywords []string
	Replace  map[string]string // replacements, by the lower-case word or phrase that is replaced, without punctuation
}
