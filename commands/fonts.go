package commands

import (
	"context"
	"time"

	"moviola/domain/document"
)

// FontFace is a font file of a family that was fetched by its name.
type FontFace struct {
	Family string // as it was asked for
	Path   string // of the file on this host: TrueType, OpenType or WOFF
	Hash   string // SHA-256 of its content
	Weight int    // 100 to 900; of a variable font the lightest
	To     int    // the heaviest of a variable font; else Weight
	Italic bool
	Range  string // characters, as unicode-range of CSS; empty: all
}

// Fonts are those of the families that were asked for and are known.
type Fonts struct {
	Faces []FontFace
	// Unreachable are the families that could not be asked for: they may be there another time.
	Unreachable []string
}

// FontFamilies fetches families by their names, once for all accounts.
type FontFamilies interface {
	// Families returns the fonts of the wishes, from what is kept or from the service. It waits for an answer for 5 s at most. A
	// service that was found not to answer since a time is not asked again for the next minute; the zero time: it is.
	Families(ctx context.Context, wishes []document.FontWish, since time.Time) Fonts
	// Kept says that Families would ask nobody: all that the wishes name is installed, shipped or kept, or is known not to be there.
	Kept(ctx context.Context, wishes []document.FontWish) bool
}
