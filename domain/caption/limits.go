package caption

import (
	"time"

	"moviola/domain"
)

// Bounds of a caption file. What is beyond them is refused, or left out where that does no harm.
const (
	maxBytes     = 4 << 20
	maxCues      = 20_000
	maxWords     = 30_000
	maxCueRunes  = 2_000
	maxLineBytes = 64 << 10
	maxTime      = 24 * time.Hour
	maxAtOnce    = 3  // cues that are shown at the same time; a further one is left out
	maxLitWords  = 40 // of a cue; the words of a longer one do not light up one by one
)

// CodeInvalid is the code of errors about captions that cannot be used.
const CodeInvalid = "captions_invalid"

func invalid(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, CodeInvalid, "The captions cannot be used: "+format, args...)
}
