package caption

import "time"

// Role is what a word is at the moment of a state.
type Role uint8

// The roles of words.
const (
	Coming Role = iota // not spoken yet
	Now                // being spoken
	Said               // spoken before
	Hidden             // not to be seen, but its place is kept
)

// Piece is a word in a state.
type Piece struct {
	Text  string
	Role  Role
	Boxed bool // a box stands behind it
	Glued bool // follows the word before it without a blank
}

// Row is a line in a state.
type Row struct {
	Pieces []Piece
	Boxed  bool // a box stands behind the whole of it
}

// State is what is seen from From until To: one picture.
type State struct {
	From time.Duration
	To   time.Duration
	Rows []Row
}
