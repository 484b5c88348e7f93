package css

import (
	"math"
	"strings"
)

// Gradient is a linear change of colours along a line through the middle of a box, or, if radial, from its middle outwards.
type Gradient struct {
	Degrees float64 // direction of the line in degrees: 0 up, 90 right, 180 down
	Stops   []Stop  // at least two stops, in ascending order of At
	Radial  bool    `json:",omitempty"`
}

// Stop is a colour and its position in a gradient, 0 to 1.
type Stop struct {
	Color Color
	At    float64
}

// maxStops is the maximum number of colours in a gradient; further colours are dropped.
const maxStops = 32

// ParseGradient reads linear-gradient(120deg, red 0%, blue) and radial-gradient(red, blue). The repeating forms are read as if
// they did not repeat. A stop without a position is placed evenly between its neighbours; a stop that would be before the
// previous stop is moved to the position of the previous stop.
func ParseGradient(text string) (g Gradient, ok bool) {
	name, arguments, ok := Call(text)
	name = strings.TrimPrefix(name, "repeating-")
	if !ok || name != "linear-gradient" && name != "radial-gradient" {
		return g, false
	}
	g.Radial, g.Degrees = name == "radial-gradient", 180
	parts := Split(arguments, ',')
	if _, _, isStop := parseStop(parts[0]); !isStop {
		degrees, known := direction(parts[0])
		if !known && !g.Radial {
			return g, false
		}
		if !g.Radial {
			g.Degrees = degrees
		}
		parts = parts[1:]
	}
	places := make([]float64, 0, len(parts))
	for _, part := range parts[:min(len(parts), maxStops)] {
		c, place, ok := parseStop(part)
		if !ok {
			return g, false
		}
		g.Stops = append(g.Stops, Stop{Color: c})
		places = append(places, place)
	}
	if len(g.Stops) < 2 {
		return g, false
	}
	spread(places)
	for i := range places {
		g.Stops[i].At = min(max(places[i], 0), 1)
	}
	return g, true
}

// parseStop reads a stop of a gradient: a colour, and perhaps a position after a blank. place is the position, from 0 (0%)
// to 1 (100%). It is NaN when there is no position, or when the position is neither a percentage nor 0 (for example 20px).
func parseStop(text string) (c Color, place float64, ok bool) {
	words := Split(text, ' ')
	if len(words) == 0 || len(words) > 2 {
		return Color{}, 0, false
	}
	c, ok = ParseColor(words[0])
	place = math.NaN()
	if len(words) > 1 {
		l, isLength := Units{}.Length(words[1])
		if !isLength {
			return Color{}, 0, false
		}
		if strings.HasSuffix(words[1], "%") || l == (Length{}) {
			place = l.Share
		}
	}
	return c, place, ok
}

// spread gives evenly spaced positions to the stops that have none (NaN). A stop that is before the previous stop gets the
// position of the previous stop.
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

// direction reads "45deg", "0.5turn" or "to top right", in degrees. A corner means the diagonal of a square.
func direction(text string) (degrees float64, ok bool) {
	where, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "to ")
	if !ok {
		return Angle(text)
	}
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
		default:
			return 0, false
		}
	}
	return math.Atan2(float64(right), float64(up)) * 180 / math.Pi, up != 0 || right != 0
}
