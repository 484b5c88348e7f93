package caption

import (
	"time"

	"moviola/domain"
)

// Bounds of a caption file. A file that exceeds them is refused or shortened.
const (
	maxBytes     = 4 << 20
	maxCues      = 20_000
	maxWords     = 30_000
	maxCueRunes  = 2_000
	maxLineBytes = 64 << 10
	maxTime      = 24 * time.Hour
	maxAtOnce    = 3  // largest number of cues shown at the same time; further cues are dropped
	maxLitWords  = 40 // largest number of words of a cue in which the spoken word is highlighted
	// maximum memory of all states, in bytes. Captions of ten words, each of them highlighted, take a quarter of it
	maxShown = 100 << 20
)

// CodeInvalid is the code of errors for unusable captions.
const CodeInvalid = "captions_invalid"

func invalid(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, CodeInvalid, "The captions cannot be used: "+format, args...)
}
