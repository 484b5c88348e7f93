package css

import (
	"math"
	"strconv"
	"strings"
)

// Color is a colour of 8 bits per channel, not premultiplied.
type Color struct{ R, G, B, A uint8 }

// Black is the default colour of shadows and strokes.
var Black = Color{A: 255}

// ParseColor reads a colour: #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl(), hsla(), a name of CSS, or transparent.
func ParseColor(text string) (Color, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		return parseHex(hex)
	}
	switch name, arguments, ok := Call(text); {
	case !ok:
	case name == "rgb", name == "rgba":
		return parseRGB(arguments)
	case name == "hsl", name == "hsla":
		return parseHSL(arguments)
	default:
		return Color{}, false
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

// ParsePaint reads a colour, or none, which is a transparent colour.
func ParsePaint(text string) (Color, bool) {
	if strings.EqualFold(strings.TrimSpace(text), "none") {
		return Color{}, true
	}
	return ParseColor(text)
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

// channels splits the arguments of a colour function: three channels and an optional alpha, separated by commas, or by blanks
// with a slash before the alpha. The alpha, 0 to 1 or per cent, defaults to 1.
func channels(arguments string) (three []string, alpha float64, ok bool) {
	parts := strings.FieldsFunc(arguments, func(r rune) bool { return r == ',' || r == ' ' || r == '/' || r == '\t' || r == '\n' })
	switch len(parts) {
	case 3:
		return parts, 1, true
	case 4:
		alpha, ok = share(parts[3], 1)
		return parts[:3], alpha, ok
	}
	return nil, 0, false
}

// parseRGB reads the arguments of rgb(): channels of 0 to 255 or per cent.
func parseRGB(arguments string) (Color, bool) {
	three, alpha, ok := channels(arguments)
	if !ok {
		return Color{}, false
	}
	var rgb [3]float64
	for i, part := range three {
		if rgb[i], ok = share(part, 255); !ok {
			return Color{}, false
		}
	}
	return Color{channel(rgb[0]), channel(rgb[1]), channel(rgb[2]), channel(alpha)}, true
}

// parseHSL reads the arguments of hsl(): a hue as an angle, and saturation and lightness in per cent (the % may be missing).
func parseHSL(arguments string) (Color, bool) {
	three, alpha, ok := channels(arguments)
	if !ok {
		return Color{}, false
	}
	hue, okHue := Angle(three[0])
	saturation, okSaturation := share(three[1], 100)
	lightness, okLightness := share(three[2], 100)
	if !okHue || !okSaturation || !okLightness {
		return Color{}, false
	}
	// the formula of CSS Color Module Level 4, section 7.1
	of := func(n float64) uint8 {
		k := math.Mod(n+hue/30, 12)
		if k < 0 {
			k += 12
		}
		return channel(lightness - saturation*min(lightness, 1-lightness)*max(-1, min(k-3, 9-k, 1)))
	}
	return Color{of(0), of(8), of(4), channel(alpha)}, true
}

// share reads a percentage, or a number from 0 to full. It returns the value as a fraction from 0 to 1.
func share(text string, full float64) (float64, bool) {
	text, percent := strings.CutSuffix(text, "%")
	if percent {
		full = 100
	}
	n, ok := Number(text)
	return min(max(n/full, 0), 1), ok
}

func channel(share float64) uint8 { return uint8(math.Round(min(max(share, 0), 1) * 255)) }
