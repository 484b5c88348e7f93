package component

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"moviola/adapters/render/canvas"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// Color is 8 bits per channel, not premultiplied.
type Color = timeline.Color

// maxValue bounds what a single value may hold; longer ones are ignored.
const maxValue = 2000

// units are what relative lengths refer to, in pixels.
type units struct{ em, vw, vh float64 }

// rootSize is 1rem.
const rootSize = 16

// length is a number of pixels and a share of something that is known later.
type length struct {
	px, share float64
	auto      bool
}

// of resolves a length; auto is what auto stands for.
func (l length) of(whole, auto float64) float64 {
	if l.auto {
		return auto
	}
	return l.px + l.share*whole
}

// suffixes are the units of CSS, those that end like others first.
var suffixes = []string{"px", "rem", "em", "vw", "vh", "vmin", "vmax", "pt", "%"}

// length reads "12px", "4vw", "50%", "0" or "auto". A plain number is in pixels.
func (u units) length(text string) (l length, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "auto" {
		return length{auto: true}, true
	}
	suffix := ""
	for _, s := range suffixes {
		if number, found := strings.CutSuffix(text, s); found {
			text, suffix = strings.TrimSpace(number), s
			break
		}
	}
	n, ok := number(text)
	if !ok {
		return length{}, false
	}
	if suffix == "%" {
		return length{share: n / 100}, true
	}
	factor := map[string]float64{
		"": 1, "px": 1, "rem": rootSize, "em": u.em, "vw": u.vw, "vh": u.vh, "vmin": min(u.vw, u.vh), "vmax": max(u.vw, u.vh), "pt": 4.0 / 3,
	}[suffix]
	return length{px: min(max(n*factor, -maxLength), maxLength)}, true
}

// maxLength bounds every length, in pixels.
const maxLength = 32_768

// number reads a decimal number, and none of the other notations that Go knows.
func number(text string) (float64, bool) {
	if strings.ContainsAny(text, "xX_pPiInN") || text == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || math.Abs(n) > 1e6 {
		return 0, false
	}
	return n, true
}

// color reads a colour of CSS.
func color(text string) (Color, bool) {
	if strings.EqualFold(strings.TrimSpace(text), "none") {
		return Color{}, true
	}
	return document.ParseColor(text)
}

// split cuts at a separator that is not inside brackets or quotes. A blank separator is any blank, and empty parts are left out
// then.
func split(text string, separator rune) []string {
	var parts []string
	depth, start := 0, 0
	var quote rune
	add := func(end int) {
		part := strings.TrimSpace(text[start:end])
		if part != "" || separator != ' ' {
			parts = append(parts, part)
		}
	}
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0 && (r == separator || separator == ' ' && unicode.IsSpace(r)):
			add(i)
			start = i + len(string(r))
		}
	}
	add(len(text))
	return parts
}

// call takes "name(arguments)" apart.
func call(text string) (name, arguments string, ok bool) {
	name, rest, found := strings.Cut(strings.TrimSpace(text), "(")
	arguments, closed := strings.CutSuffix(rest, ")")
	return strings.ToLower(strings.TrimSpace(name)), arguments, found && closed
}

// declaration is a property and its value.
type declaration struct{ name, value string }

// declarations reads "name: value; name: value".
func declarations(css string) []declaration {
	var all []declaration
	for _, part := range split(css, ';') {
		if name, value, ok := strings.Cut(part, ":"); ok {
			all = append(all, declaration{propertyName(name), strings.TrimSpace(value)})
		}
	}
	return all
}

// propertyName is a name in lower case with dashes, whatever it was written like: fontSize and font_size are font-size.
func propertyName(name string) string {
	var b strings.Builder
	for i, r := range strings.TrimSpace(name) {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		if r == '_' {
			r = '-'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// sides are four lengths: top, right, bottom, left.
type sides [4]length

// sides reads one to four lengths.
func (u units) sides(text string) (s sides, ok bool) {
	parts := split(text, ' ')
	if len(parts) == 0 || len(parts) > 4 {
		return s, false
	}
	var all [4]length
	for i, part := range parts {
		if all[i], ok = u.length(part); !ok {
			return s, false
		}
	}
	switch len(parts) {
	case 1:
		return sides{all[0], all[0], all[0], all[0]}, true
	case 2:
		return sides{all[0], all[1], all[0], all[1]}, true
	case 3:
		return sides{all[0], all[1], all[2], all[1]}, true
	}
	return all, true
}

// shadow is one of a box or text.
type shadow struct {
	x, y, blur, spread float64
	color              Color
	inset              bool
}

// maxShadows bounds what shadows cost.
const maxShadows = 6

// shadows reads a list of shadows, in which the colour may come first or last.
func (u units) shadows(text string) []shadow {
	var all []shadow
	for _, one := range split(text, ',') {
		s := shadow{color: document.Black}
		var lengths []float64
		good := true
		for _, part := range split(one, ' ') {
			if l, ok := u.length(part); ok {
				lengths = append(lengths, l.px)
			} else if c, ok := color(part); ok {
				s.color = c
			} else if strings.EqualFold(part, "inset") {
				s.inset = true
			} else {
				good = false
			}
		}
		if !good || len(lengths) < 2 || len(all) == maxShadows {
			continue
		}
		lengths = append(lengths, 0, 0)
		s.x, s.y, s.blur, s.spread = lengths[0], lengths[1], min(max(lengths[2], 0), 300), lengths[3]
		all = append(all, s)
	}
	return all
}

// gradient is a background that changes its colour.
type gradient struct {
	radial  bool
	degrees float64
	stops   []timeline.Stop
}

// maxStops bounds what a gradient costs.
const maxStops = 32

// gradient reads linear-gradient(120deg, red 0%, blue) and radial-gradient(red, blue).
func (u units) gradient(text string) (g gradient, ok bool) {
	name, arguments, ok := call(text)
	name = strings.TrimPrefix(name, "repeating-")
	if !ok || name != "linear-gradient" && name != "radial-gradient" {
		return g, false
	}
	g.radial, g.degrees = name == "radial-gradient", 180
	parts := split(arguments, ',')
	if len(parts) > 0 {
		if _, isColor := color(split(parts[0]+" x", ' ')[0]); !isColor {
			g.degrees = direction(parts[0])
			parts = parts[1:]
		}
	}
	places := make([]float64, 0, len(parts))
	for _, part := range parts[:min(len(parts), maxStops)] {
		words := split(part, ' ')
		if len(words) == 0 {
			return g, false
		}
		c, isColor := color(words[0])
		if !isColor {
			return g, false
		}
		place := math.NaN()
		if len(words) > 1 {
			if l, isLength := u.length(words[1]); isLength {
				place = l.share
			}
		}
		g.stops = append(g.stops, timeline.Stop{Color: c})
		places = append(places, place)
	}
	if len(g.stops) < 2 {
		return g, false
	}
	spread(places)
	for i := range places {
		g.stops[i].At = places[i]
	}
	return g, true
}

// spread gives stops without a place one in even steps between their neighbours, and lets none lie before the one before it.
func spread(places []float64) {
	last := len(places) - 1
	if math.IsNaN(places[0]) {
		places[0] = 0
	}
	if math.IsNaN(places[last]) {
		places[last] = 1
	}
	for i := 1; i <= last; i++ {
		if !math.IsNaN(places[i]) {
			places[i] = max(places[i], places[i-1])
			continue
		}
		next := i
		for math.IsNaN(places[next]) {
			next++
		}
		places[i] = places[i-1] + (max(places[next], places[i-1])-places[i-1])/float64(next-i+1)
	}
}

// direction reads "45deg", "0.5turn" or "to top right", in degrees; 180, downwards, when it cannot be read.
func direction(text string) float64 {
	text = strings.ToLower(strings.TrimSpace(text))
	if where, ok := strings.CutPrefix(text, "to "); ok {
		up, right := 0, 0
		for _, word := range strings.Fields(where) {
			switch word {
			case "top":
				up = 1
			case "bottom":
				up = -1
			case "right":
				right = 1
			case "left":
				right = -1
			}
		}
		return math.Atan2(float64(right), float64(up)) * 180 / math.Pi
	}
	if degrees, ok := angle(text); ok {
		return degrees
	}
	return 180
}

// angle reads "45deg", "0.5turn", "1rad" or a number of degrees.
func angle(text string) (degrees float64, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, unit := range []struct {
		suffix string
		factor float64
	}{{"deg", 1}, {"grad", 0.9}, {"rad", 180 / math.Pi}, {"turn", 360}} {
		if n, found := strings.CutSuffix(text, unit.suffix); found {
			v, ok := number(strings.TrimSpace(n))
			return v * unit.factor, ok
		}
	}
	return number(text)
}

// on is the gradient of a box.
func (g gradient) on(x, y, w, h float64) *canvas.Gradient {
	if !g.radial {
		return canvas.Linear(x, y, w, h, g.degrees, g.stops)
	}
	cx, cy := x+w/2, y+h/2
	return &canvas.Gradient{From: canvas.Point{X: cx, Y: cy}, To: canvas.Point{X: cx + w/2*math.Sqrt2, Y: cy}, Radial: true, Stretch: h / max(w, 1), Stops: g.stops}
}

// address is what stands in url(…).
func address(text string) (string, bool) {
	name, arguments, ok := call(text)
	if !ok || name != "url" {
		return "", false
	}
	a := strings.Trim(strings.TrimSpace(arguments), `"'`)
	return a, a != ""
}
