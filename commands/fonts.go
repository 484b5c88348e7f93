package commands

// FontFace is a font file of a family that was fetched by name.
type FontFace struct {
	Family string // name of the family as the movie gives it
	Path   string // path of the file on this host: TrueType, OpenType or WOFF
	Hash   string // SHA-256 of the file's content
	Weight int    // weight, 100 to 900; for a variable font the minimum
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
