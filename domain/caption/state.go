package caption

import "time"

// Role tells whether a word is spoken before, during or after a state.
type Role uint8

// The roles of words.
const (
	Coming Role = iota // not spoken yet
	Now                // being spoken
	Said               // spoken before
	Hidden             // invisible, but its space is kept
)

// Piece is a word in a state.
type Piece struct {
	Text  string
	Role  Role
	Boxed bool // a box is drawn behind the word
	Glued bool // no blank between this word and the one before
}

// Row is a line in a state.
type Row struct {
	Pieces []Piece
	Boxed  bool // a box is drawn behind the whole line
}

// State is the content of the captions between From and To: one picture.
type State struct {
	From time.Duration
	To   time.Duration
	Rows []Row
}
