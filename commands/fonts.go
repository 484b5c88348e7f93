package commands

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
