package commands

import (
	"context"
	"time"

	"moviola/domain/document"
)

// FontFace is a font file of a family that was fetched by name.
type FontFace struct {
	Family string // name as requested
	Path   string // path of the file on this host: TrueType, OpenType or WOFF
	Hash   string // SHA-256 of the file's content
	Weight int    // 100 to 900; the minimum weight of a variable font
	To     int    // maximum weight of a variable font; otherwise equal to Weight
	Italic bool
	Range  string // characters that the file covers, as in unicode-range of CSS; empty: all
}

// Fonts are the font files of the requested families that exist.
type Fonts struct {
	Faces []FontFace
	// Unreachable are the families that could not be requested now; a later request may find them.
	Unreachable []string
}

// FontFamilies fetches font families by name, shared by all accounts.
type FontFamilies interface {
	// Families returns the fonts for the wishes, from the cache or from the font service. It waits up to 5 s for the font
	// service. If the service has failed to respond after the time since, it is not asked again for a minute. If since is zero,
	// the service is asked in any case.
	Families(ctx context.Context, wishes []document.FontWish, since time.Time) Fonts
	// Kept reports whether Families can answer without a request to the font service: every wish is installed, shipped or
	// cached, or is known not to exist.
	Kept(ctx context.Context, wishes []document.FontWish) bool
}
