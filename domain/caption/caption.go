// Package caption holds the rules of subtitles: reading and writing caption files, timing words, building cues from words, and
// working out what is seen when in each of the styles.
//
// It is pure: it draws nothing and knows no font. A style and a track become states, each of which is one picture.
package caption

import (
	"slices"
	"time"
)

// Word is a word and when it is spoken. A word is what stands between blanks, with its punctuation; of scripts that are written
// without blanks, a character.
type Word struct {
	Text  string
	Start time.Duration
	End   time.Duration
}

// Line is a line of a cue.
type Line []Word

// Cue is what is shown at once, from Start until End.
type Cue struct {
	Start time.Duration
	End   time.Duration
	Lines []Line
}

// Track is the captions of a movie, in order of their start.
type Track struct {
	Cues []Cue
	// WordTimed says that the words' times are known, not worked out from the cue's.
	WordTimed bool
}

// Words returns the words of a cue in reading order.
func (c Cue) Words() []Word { return slices.Concat(c.Lines...) }

// Words returns the words of all cues in order.
func (t Track) Words() []Word {
	var words []Word
	for _, c := range t.Cues {
		words = append(words, c.Words()...)
	}
	return words
}
