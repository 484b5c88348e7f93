package document

import (
	"math"
	"strconv"
	"strings"
)

// Color is 8 bits per channel, not premultiplied.
type Color struct{ R, G, B, A uint8 }

// Black is the colour below everything.
var Black = Color{A: 255}

// ParseColor reads a CSS colour: #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), a name of CSS, or transparent.
func ParseColor(text string) (Color, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		return parseHex(hex)
	}
	for _, function := range []string{"rgba(", "rgb("} {
		if inner, ok := strings.CutPrefix(text, function); ok {
			inner, ok = strings.CutSuffix(inner, ")")
			if !ok {
				return Color{}, false
			}
			return parseRGB(inner)
		}
	}
	if text == "transparent" {
		return Color{}, true
	}
	rgb, ok := colorNames[text]
	if !ok {
		return Color{}, false
	}
	return Color{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}, true
}

func parseHex(hex string) (Color, bool) {
	if len(hex) == 3 || len(hex) == 4 {
		var long strings.Builder
		for i := range len(hex) {
			long.WriteByte(hex[i])
			long.WriteByte(hex[i])
		}
		hex = long.String()
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if len(hex) != 8 || err != nil {
		return Color{}, false
	}
	return Color{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}, true
}

// parseRGB reads the arguments of rgb() and rgba(), which mean the same in CSS: three channels of 0 to 255 or per cent and an
// optional alpha of 0 to 1 or per cent, separated by commas, or by blanks with a slash before the alpha.
func parseRGB(arguments string) (Color, bool) {
	parts := strings.FieldsFunc(arguments, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(parts) != 3 && len(parts) != 4 {
		return Color{}, false
	}
	channels := [4]uint8{3: 255}
	for i, part := range parts {
		full := 255.0
		if i == 3 {
			full = 1
		}
		v, ok := parseChannel(part, full)
		if !ok {
			return Color{}, false
		}
		channels[i] = v
	}
	return Color{channels[0], channels[1], channels[2], channels[3]}, true
}

// parseChannel scales a channel, whose largest plain value is full, to 0 to 255.
func parseChannel(text string, full float64) (uint8, bool) {
	number, percent := strings.CutSuffix(text, "%")
	if percent {
		full = 100
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) {
		return 0, false
	}
	return uint8(math.Round(min(max(v/full, 0), 1) * 255)), true
}
