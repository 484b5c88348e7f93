package caption

import (
	"time"

	"moviola/domain"
)

// Bounds of a caption file. A file beyond them is refused, or cut if that loses nothing important.
const (
	maxBytes     = 4 << 20
	maxCues      = 20_000
	maxWords     = 30_000
	maxCueRunes  = 2_000
	maxLineBytes = 64 << 10
	maxTime      = 24 * time.Hour
	maxAtOnce    = 3  // cues shown at the same time; further cues are dropped
	maxLitWords  = 40 // words of a cue; in longer cues the words are not highlighted one by one
)

// CodeInvalid is the code of errors for unusable captions.
const CodeInvalid = "captions_invalid"

func invalid(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, CodeInvalid, "The captions cannot be used: "+format, args...)
}
