package component

// ReadStyle applies properties to the style of a component of 1000 × 500 pixels and returns what came of it, for tests.
func ReadStyle(css string) (size float64, weight int, color, background Color, padding, border [4]float64) {
	s := &stage{w: 1000, h: 500, units: units{vw: 10, vh: 5, em: 40}}
	root := s.root()
	st := root.inherited()
	st.apply(declarations(css))
	return st.size, st.weight, st.color, st.background, resolve(st.padding, 1000), resolve(st.border, 1000)
}

// Length reads a length in a component of 1000 × 500 pixels, whose font has 40: pixels and the share of something.
func Length(text string) (px, share float64, auto, ok bool) {
	l, ok := units{em: 40, vw: 10, vh: 5}.length(text)
	return l.px, l.share, l.auto, ok
}

// Shadows counts the shadows of a text.
func Shadows(text string) int { return len(units{em: 40, vw: 10, vh: 5}.shadows(text)) }

// GradientStops are the places of a gradient's colours, and its angle.
func GradientStops(text string) (places []float64, degrees float64, ok bool) {
	g, ok := units{em: 40, vw: 10, vh: 5}.gradient(text)
	for _, s := range g.stops {
		places = append(places, s.At)
	}
	return places, g.degrees, ok
}

// Rich is a text without its tags, and how many parts of it are marked.
func Rich(source string) (string, int) {
	r := readRich(source, 400, false)
	return r.text, len(r.spans)
}

// PropertyName is a name as it is looked up.
var PropertyName = propertyName
