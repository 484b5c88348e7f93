package caption

import "moviola/domain/document"

// Color is 8 bits per channel, not premultiplied.
type Color = document.Color

// Look is what a style does with the words.
type Look string

// The looks of the setting style (schema 4.8).
const (
	Classic     Look = "classic"             // the whole cue, the spoken word in its own colour
	Progressive Look = "classic-progressive" // words appear as they are spoken
	OneWord     Look = "classic-one-word"    // the spoken word only
	BoxedLine   Look = "boxed-line"          // as Classic, with a box behind each line
	BoxedWord   Look = "boxed-word"          // as Classic, with a box behind the spoken word
)

// Position is where the captions stand.
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
	Custom          Position = "custom" // the middle of the block's upper edge at X, Y
)

// Style is how captions look. Lengths are in pixels of the movie.
type Style struct {
	Look     Look
	AllCaps  bool
	Family   string // of the font
	FontURL  string // of a font file that holds the family; empty: an installed one
	Size     float64
	Weight   int // 100 to 900
	Position Position
	X, Y     float64 // of Custom

	Word    Color // of the spoken word
	Line    Color // of the other words
	Box     Color // of BoxedLine and BoxedWord
	Outline Color
	Shadow  Color

	OutlineWidth float64 // 0: none
	ShadowOffset float64 // to the right and down; 0: none

	MaxWords int  // of a line; 0: as many as the captions have
	Rebreak  bool // MaxWords was asked for, and holds for given captions too

	Keywords []string
	Replace  map[string]string // by lower-case word, without punctuation
}
