// Package caption holds the rules of subtitles: reading and writing caption files, timing words, building cues from words, and
// computing what each style shows at which time.
//
// It draws nothing and opens no fonts. From a style and a track it computes states, each of which is one picture.
package caption

import (
	"slices"
	"time"
)

// Word is a word and the time in which it is spoken. A word is the text between blanks, with its punctuation; in scripts without
// blanks it is a character.
type Word struct {
	Text  string
	Start time.Duration
	End   time.Duration
}

// Line is a line of a cue.
type Line []Word

// Cue is a text that is shown at once, from Start until End.
type Cue struct {
	Start time.Duration
	End   time.Duration
	Lines []Line
}

// Track holds the captions of a movie, ordered by start.
type Track struct {
	Cues []Cue
	// WordTimed reports whether the times of words were given: by at least one cue of the file, or by the caller of
	// FromWords. False: all are estimated from their cues.
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
