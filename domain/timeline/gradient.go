package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/document"
)

// background reads a colour, or a linear gradient.
func (s *styler) background() (Color, *Gradient) {
	for _, name := range []string{"background-image", "background"} {
		if value := s.word(name); strings.HasPrefix(value, "linear-gradient(") {
			gradient, ok := parseGradient(value)
			if !ok {
				s.warn("The setting '" + name + "' cannot be read")
			}
			return s.color(Color{}, "background-color"), gradient
		}
	}
	return s.color(Color{}, "background-color", "background"), nil
}

const maxStops = 16

// parseGradient reads linear-gradient(direction, colour [place], …), in lower case.
func parseGradient(value string) (*Gradient, bool) {
	const straightDown = 180
	inner, closed := strings.CutSuffix(strings.TrimPrefix(value, "linear-gradient("), ")")
	arguments := list(inner)
	if !closed || len(arguments) == 0 {
		return nil, false
	}
	g := &Gradient{Degrees: straightDown}
	if degrees, ok := parseDirection(strings.TrimSpace(arguments[0])); ok {
		g.Degrees, arguments = degrees, arguments[1:]
	}
	if len(arguments) < 2 || len(arguments) > maxStops {
		return nil, false
	}
	for i, argument := range arguments {
		stop, ok := parseStop(argument, float64(i)/float64(len(arguments)-1))
		if !ok {
			return nil, false
		}
		g.Stops = append(g.Stops, stop)
	}
	slices.SortStableFunc(g.Stops, func(a, b Stop) int { return cmp.Compare(a.At, b.At) })
	return g, true
}

// directions are the sides and corners that a gradient may go to; corners are taken for those of a square.
var directions = map[string]float64{
	"to top": 0, "to top right": 45, "to right top": 45, "to right": 90, "to bottom right": 135, "to right bottom": 135,
	"to bottom": 180, "to bottom left": 225, "to left bottom": 225, "to left": 270, "to top left": 315, "to left top": 315,
}

func parseDirection(text string) (degrees float64, ok bool) {
	if degrees, ok := directions[strings.Join(strings.Fields(text), " ")]; ok {
		return degrees, true
	}
	number, ok := strings.CutSuffix(text, "deg")
	if !ok {
		return 0, false
	}
	degrees, err := strconv.ParseFloat(number, 64)
	const most = 1e6
	return degrees, err == nil && degrees > -most && degrees < most
}

// parseStop reads "colour [place%]".
func parseStop(text string, otherwise float64) (Stop, bool) {
	words := parts(text)
	if len(words) == 0 || len(words) > 2 {
		return Stop{}, false
	}
	color, ok := document.ParseColor(words[0])
	stop := Stop{Color: color, At: otherwise}
	if ok && len(words) == 2 {
		number, percent := strings.CutSuffix(words[1], "%")
		at, err := strconv.ParseFloat(number, 64)
		ok = percent && err == nil && at == at
		stop.At = min(max(at/100, 0), 1)
	}
	return stop, ok
}
