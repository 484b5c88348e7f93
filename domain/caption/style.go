package caption

import "moviola/domain/document"

// Color is a colour of 8 bits per channel, not premultiplied.
type Color = document.Color

// StyleName is the way in which a style shows words.
type StyleName string

// The values of the setting style (schema 4.8).
const (
	Classic     StyleName = "classic"             // the whole cue, the spoken word in its own colour
	Progressive StyleName = "classic-progressive" // words appear as they are spoken
	OneWord     StyleName = "classic-one-word"    // the spoken word only
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
	Family   string // font family
	FontURL  string // address of a font file of the family; empty: an installed font is used
	Size     float64
	Weight   int // 100 to 900
	Position Position
	X, Y     float64 // position in the movie for Custom, in pixels

	Word    Color // colour of the spoken word
	Line    Color // colour of the other words
	Box     Color // colour of the box of BoxedLine and BoxedWord
	Outline Color
	Shadow  Color

	OutlineWidth float64 // 0: no outline
	ShadowOffset float64 // offset to the right and down; 0: no shadow

	MaxWords int  // words per line; 0: lines stay as the captions have them
	Rebreak  bool // MaxWords was set by the settings, so it applies to given captions too

	Keywords []string
	Replace  map[string]string // replacements by lower-case word or phrase, without punctuation
}
