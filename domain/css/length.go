package css

import (
	"math"
	"strconv"
	"strings"
)

// RootSize is 1rem in pixels.
const RootSize = 16

// MaxLength is the maximum length in pixels. Longer lengths are reduced to it.
const MaxLength = 32_768

const maxNumber = 1e15

// Units are the reference sizes of relative lengths, in pixels: the font size, and a hundredth of the canvas's width and of its
// height.
type Units struct{ Em, VW, VH float64 }

// On returns the units for a canvas of w × h pixels and a font size of em pixels.
func On(w, h, em float64) Units { return Units{Em: em, VW: w / 100, VH: h / 100} }

// Length is a number of pixels plus a fraction of a size that is known later.
type Length struct {
	Px, Share float64
	Auto      bool
}

// Of returns the length in pixels. Percentages are parts of whole, in pixels. For the length "auto" it returns the argument auto.
func (l Length) Of(whole, auto float64) float64 {
	if l.Auto {
		return auto
	}
	return l.Px + l.Share*whole
}

// suffixes are the units of lengths. Of two units with the same ending, the longer one comes first.
var suffixes = []string{"px", "rem", "em", "vmin", "vmax", "vw", "vh", "pt", "%"}

func (u Units) factor(suffix string) float64 {
	switch suffix {
	case "rem":
		return RootSize
	case "em":
		return u.Em
	case "vw":
		return u.VW
	case "vh":
		return u.VH
	case "vmin":
		return min(u.VW, u.VH)
	case "vmax":
		return max(u.VW, u.VH)
	case "pt":
		return 4.0 / 3
	}
	return 1
}

// Length reads "12px", "4vw", "50%", "0" or "auto". A number without unit is in pixels.
func (u Units) Length(text string) (l Length, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "auto" {
		return Length{Auto: true}, true
	}
	suffix := ""
	for _, s := range suffixes {
		if number, found := strings.CutSuffix(text, s); found {
			text, suffix = strings.TrimSpace(number), s
			break
		}
	}
	n, ok := Number(text)
	if !ok {
		return Length{}, false
	}
	if suffix == "%" {
		return Length{Share: n / 100}, true
	}
	return Length{Px: min(max(n*u.factor(suffix), -MaxLength), MaxLength)}, true
}

// Pixels reads a length that is not auto and returns it in pixels. Percentages are parts of whole, in pixels.
func (u Units) Pixels(text string, whole float64) (float64, bool) {
	l, ok := u.Length(text)
	if !ok || l.Auto {
		return 0, false
	}
	return min(max(l.Of(whole, 0), -MaxLength), MaxLength), true
}

// Sides reads one to four lengths and returns those at the top, right, bottom and left.
func (u Units) Sides(text string) (sides [4]Length, ok bool) {
	parts := Split(text, ' ')
	if len(parts) == 0 || len(parts) > 4 {
		return sides, false
	}
	var all [4]Length
	for i, part := range parts {
		if all[i], ok = u.Length(part); !ok {
			return sides, false
		}
	}
	for i, from := range SideOrder(len(parts)) {
		sides[i] = all[from]
	}
	return sides, true
}

// SideOrder returns which of n given values (1 to 4) is used at the top, right, bottom and left, as in CSS: the indexes of the
// values.
func SideOrder(n int) [4]int {
	return [4][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[min(max(n, 1), 4)-1]
}

// Number reads a decimal number. Other notations of Go, such as hexadecimal or Inf, are refused.
func Number(text string) (float64, bool) {
	if strings.ContainsAny(text, "xX_pPiInN") || text == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || math.Abs(n) > maxNumber {
		return 0, false
	}
	return n, true
}

// Angle reads "45deg", "0.5turn", "1rad", "50grad" or a number of degrees.
func Angle(text string) (degrees float64, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, unit := range []struct {
		suffix string
		factor float64
	}{{"deg", 1}, {"grad", 0.9}, {"rad", 180 / math.Pi}, {"turn", 360}} {
		if n, found := strings.CutSuffix(text, unit.suffix); found {
			v, ok := Number(strings.TrimSpace(n))
			return v * unit.factor, ok
		}
	}
	return Number(text)
}
