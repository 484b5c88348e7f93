package timeline

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// length reads the first of the names as a length in pixels.
func (s *styler) length(otherwise float64, names ...string) float64 {
	value := s.word(names...)
	if value == "" || value == "auto" || value == "normal" {
		return otherwise
	}
	n, ok := s.units.pixels(value)
	if !ok {
		s.warn("The setting '" + names[0] + "' cannot be read")
		return otherwise
	}
	return n
}

// pixels reads a length with its unit. A plain number is in pixels; per cent are of the font size.
func (u units) pixels(text string) (float64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	factor := 1.0
	for _, unit := range []struct {
		suffix string
		factor float64
	}{
		{"px", 1}, {"rem", rootSize}, {"em", u.em}, {"vw", u.w / 100}, {"vh", u.h / 100},
		{"vmin", min(u.w, u.h) / 100}, {"vmax", max(u.w, u.h) / 100}, {"pt", 4.0 / 3}, {"%", u.em / 100},
	} {
		if number, ok := strings.CutSuffix(text, unit.suffix); ok {
			text, factor = strings.TrimSpace(number), unit.factor
			break
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.ContainsAny(text, "xX_pP") {
		return 0, false
	}
	return n * factor, true
}

// splitOutsideBrackets splits where sep holds and no bracket is open.
func splitOutsideBrackets(text string, sep func(rune) bool) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && sep(r)
	})
}

// parts are the words of a CSS value.
func parts(text string) []string { return splitOutsideBrackets(text, unicode.IsSpace) }

// list are the values of a CSS list.
func list(text string) []string {
	return splitOutsideBrackets(text, func(r rune) bool { return r == ',' })
}
