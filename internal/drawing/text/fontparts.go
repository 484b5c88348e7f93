package text

import (
	"encoding/binary"

	"github.com/go-text/typesetting/font/opentype"
)

// maxGlyphPoints is the maximum number of points of one glyph of a font, those of its parts included each time that they are
// repeated. Usual glyphs have less than a thousand.
const maxGlyphPoints = 1 << 20

// boundParts returns an error for a font with a glyph that is made of so many parts, each of which may be made of parts, that it
// could not be drawn in reasonable time: a few kilobytes can describe more than there will ever be time for. Fonts with glyphs
// that contain themselves are refused as well.
func boundParts(loader *opentype.Loader) error {
	table := func(name string) []byte {
		raw, err := loader.RawTable(opentype.MustNewTag(name))
		if err != nil {
			return nil // the font has no such table
		}
		return raw
	}
	head, glyphs := table("head"), table("glyf")
	if len(glyphs) == 0 || len(head) < 54 {
		return nil // its glyphs have another form
	}
	return glyphTable{glyphs: glyphs, places: table("loca"), long: binary.BigEndian.Uint16(head[50:]) != 0}.bound()
}

// glyphTable is the table glyf of a font, with the places of the glyphs in it (loca).
type glyphTable struct {
	glyphs, places []byte
	long           bool // places are numbers of 4 bytes, not of 2
}

// count is the number of places of glyphs.
func (g glyphTable) count() int {
	if g.long {
		return max(0, len(g.places)/4-1)
	}
	return max(0, len(g.places)/2-1)
}

// at returns the description of a glyph; empty: it has none, or it is damaged.
func (g glyphTable) at(glyph int) []byte {
	place := func(i int) int {
		if g.long {
			return int(binary.BigEndian.Uint32(g.places[4*i:]))
		}
		return 2 * int(binary.BigEndian.Uint16(g.places[2*i:]))
	}
	from, to := place(glyph), place(glyph+1)
	if from >= to || to > len(g.glyphs) {
		return nil
	}
	return g.glyphs[from:to]
}

// counting marks a glyph whose parts are being counted.
const counting = -1

// bound returns an error for a glyph with more than maxGlyphPoints points, or one that contains itself.
func (g glyphTable) bound() error {
	points := make([]int, g.count()) // 0: not counted yet
	for glyph := range points {
		if g.points(glyph, points, 0) > maxGlyphPoints {
			return errFont()
		}
	}
	return nil
}

// maxParts is how deep glyphs may be nested: the font library looks no deeper.
const maxParts = 20

// points returns the number of points of a glyph, at least 1. It is larger than maxGlyphPoints for a glyph that contains itself.
func (g glyphTable) points(glyph int, known []int, depth int) int {
	switch {
	case glyph >= len(known) || depth > maxParts:
		return 1
	case known[glyph] == counting:
		return maxGlyphPoints + 1
	case known[glyph] > 0:
		return known[glyph]
	}
	known[glyph] = counting
	total := 1
	if raw := g.at(glyph); len(raw) >= 10 {
		contours := int(int16(binary.BigEndian.Uint16(raw)))
		switch {
		case contours < 0:
			for _, part := range partsOf(raw[10:]) {
				total = min(total+g.points(part, known, depth+1), maxGlyphPoints+1)
			}
		case len(raw) >= 10+2*contours && contours > 0:
			total += int(binary.BigEndian.Uint16(raw[8+2*contours:])) + 1
		}
	}
	known[glyph] = total
	return total
}

// The flags of a part of a glyph, by the OpenType specification.
const (
	argsAreWords  = 0x01
	hasScale      = 0x08
	morePartsCome = 0x20
	hasTwoScales  = 0x40
	hasMatrix     = 0x80
)

// partsOf returns the glyphs of which a glyph is made, as its description names them.
func partsOf(raw []byte) []int {
	var parts []int
	for len(raw) >= 4 {
		flags := binary.BigEndian.Uint16(raw)
		parts = append(parts, int(binary.BigEndian.Uint16(raw[2:])))
		size := 6
		if flags&argsAreWords != 0 {
			size += 2
		}
		switch {
		case flags&hasScale != 0:
			size += 2
		case flags&hasTwoScales != 0:
			size += 4
		case flags&hasMatrix != 0:
			size += 8
		}
		if flags&morePartsCome == 0 || size > len(raw) {
			break
		}
		raw = raw[size:]
	}
	return parts
}
