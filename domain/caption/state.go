package caption

import "time"

// Role tells whether a word is spoken before, during or after a State. A State is the picture that the captions show for
// some time.
type Role uint8

// The values of Role. They tell about a word in one State, the picture that the captions show for some time.
const (
	// Coming: the word is spoken after the State. All words of a cue with more than maxLitWords words have this role.
	Coming Role = iota
	Now         // the word is spoken during the State
	Said        // the word is spoken before the State
	Hidden      // the word is not drawn, but its space stays free
)

// Piece is one word of a State, which is the picture that the captions show for some time.
type Piece struct {
	Text  string
	Role  Role
	Boxed bool // a box is drawn behind the word
	Glued bool // no blank between this word and the one before
}

// Row is one line of a State, which is the picture that the captions show for some time.
type Row struct {
	Pieces []Piece
	Boxed  bool // a box is drawn behind the whole line
}

// State is one picture of the captions. It is shown from the time From to the time To.
type State struct {
	From time.Duration
	To   time.Duration
	Rows []Row
}
