package caption

import "time"

// Role tells whether a word is spoken before, during or after a state of the captions.
type Role uint8

// The values of Role.
const (
	Coming Role = iota // spoken after the state; also every word of a cue with more than maxLitWords words
	Now                // spoken during the state
	Said               // spoken before the state
	Hidden             // not drawn, but its space stays free
)

// Piece is a word as a state shows it.
type Piece struct {
	Text  string
	Role  Role
	Boxed bool // a box is drawn behind the word
	Glued bool // no blank between this word and the one before
}

// Row is a line as a state shows it.
type Row struct {
	Pieces []Piece
	Boxed  bool // a box is drawn behind the whole line
}

// State is what the captions show from From to To: one picture.
type State struct {
	From time.Duration
	To   time.Duration
	Rows []Row
}
