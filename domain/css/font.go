package css

import (
	"slices"
	"strings"
)

// Font weights: the ends of the range, and the weights that the words normal and bold stand for.
const (
	Lightest = 100
	Normal   = 400
	Bold     = 700
	Heaviest = 900
)

// Weight reads a font weight, 100 to 900. It moves a number beyond the range to the nearest end of the range.
func Weight(text string) (int, bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "normal", "regular":
		return Normal, true
	case "bold", "bolder":
		return Bold, true
	case "lighter":
		return 300, true
	}
	n, ok := Number(strings.TrimSpace(text))
	if !ok {
		return 0, false
	}
	return int(min(max(n, Lightest), Heaviest)), true
}

// Italic reports whether a font style is slanted; ok is false for an unknown style.
func Italic(text string) (italic, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch {
	case text == "normal":
		return false, true
	case text == "italic", strings.HasPrefix(text, "oblique"):
		return true, true
	}
	return false, false
}

// maxFamilies is the maximum number of families in a list; further families are dropped.
const maxFamilies = 20

// Families reads a list of font families in order of preference, and removes quotes: `Roboto, 'Open Sans'`.
func Families(text string) []string {
	var families []string
	for _, name := range Split(text, ',') {
		name = strings.TrimSpace(strings.Trim(name, `"'`))
		if name != "" && len(families) < maxFamilies {
			families = append(families, name)
		}
	}
	return families
}

// widths are the words for font widths in the shorthand font, and small-caps. They are accepted and ignored.
var widths = map[string]bool{
	"condensed": true, "semi-condensed": true, "extra-condensed": true, "ultra-condensed": true,
	"expanded": true, "semi-expanded": true, "extra-expanded": true, "ultra-expanded": true, "small-caps": true,
}

// ExpandFont splits the shorthand font, `italic bold 12px/30px Georgia, serif`, into single properties. As in CSS, size and
// family are required, and a missing style or weight gets the value normal.
func ExpandFont(text string) (all []Declaration, ok bool) {
	style, weight := "normal", "normal"
	parts := Split(text, ' ')
	for i, part := range parts {
		word := strings.ToLower(part)
		_, isWeight := Weight(word)
		_, isNumber := Number(word)
		switch italic, known := Italic(word); {
		case known && italic:
			style = word
		case word == "normal", widths[word]:
		case isWeight && (!isNumber || hasLength(parts[i+1:])):
			weight = word
		default:
			return expandRest(style, weight, part, strings.Join(parts[i+1:], " "))
		}
	}
	return nil, false
}

// hasLength reports whether one of the parts is a length. Then a number before these parts is a weight, not the size.
func hasLength(parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		_, ok := Units{}.Length(BeforeSlash(part))
		return ok
	})
}

// expandRest reads the part of the shorthand after style and weight: the size, with an optional line height after a slash, and
// the families.
func expandRest(style, weight, size, family string) ([]Declaration, bool) {
	size, height, hasHeight := strings.Cut(size, "/")
	if !hasHeight {
		height = "normal"
	}
	_, okSize := Units{}.Length(size)
	_, okHeight := Units{}.Length(height)
	if !okSize || !okHeight && height != "normal" || len(Families(family)) == 0 {
		return nil, false
	}
	return []Declaration{{"font-style", style}, {"font-weight", weight}, {"font-size", size}, {"line-height", height},
		{"font-family", family}}, true
}
