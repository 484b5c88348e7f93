package jsontext

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Position is a line and a column, both from 1; columns count characters. The zero Position means unknown.
type Position struct{ Line, Column int }

// Positions returns the position of each offset, by offset. An offset beyond the text has the position of the text's end.
// Positions counts the lines in one pass over the text, and for each offset the characters from the start of its line.
func Positions(raw []byte, offsets []int) map[int]Position {
	sorted := slices.Clone(offsets)
	slices.Sort(sorted)
	found := make(map[int]Position, len(sorted))
	line, begin, from := 1, 0, 0 // begin is the offset of the first byte of the current line
	for _, offset := range sorted {
		at := min(max(offset, 0), len(raw))
		passed := raw[from:at]
		if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
			line += n
			begin = from + bytes.LastIndexByte(passed, '\n') + 1
		}
		from = at
		found[offset] = Position{line, utf8.RuneCount(raw[begin:at]) + 1}
	}
	return found
}
