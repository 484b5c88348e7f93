package component

import (
	"maps"
	"slices"

	"moviola/domain/css"
)

// ReadStyle applies properties to the style of a component of 1000 × 500 pixels and returns what came of it, for tests.
func ReadStyle(source string) (size float64, weight int, color, background Color, padding, border [4]float64) {
	s := &building{w: 1000, h: 500, units: css.Units{VW: 10, VH: 5, Em: 40}}
	root := s.root()
	st := root.inherited()
	st.apply(css.Declarations(source))
	return st.size, st.weight, st.color, st.background, resolve(st.padding, 1000), resolve(st.border, 1000)
}

// GroupStyle is the font of a settings group, family, size in pixels and weight, with the component's defaults for it.
func GroupStyle(defaults string, settings map[string]any) (family string, size float64, weight int) {
	s := &building{w: 1000, h: 500, units: css.Units{VW: 10, VH: 5, Em: 40}, groups: map[string]group{"a": settings}}
	root := s.root()
	st := s.style("a", &root, defaults)
	return st.family, st.size, st.weight
}

// Rich is a text without its tags, changed as text-transform says, and how many parts of it are marked.
func Rich(source, transform string) (string, int) {
	r := readRich(source, &style{weight: 400, transform: transform})
	return r.text, len(r.spans)
}

// StyleNames are the names of all styles that are read, sorted.
func StyleNames() []string {
	names := slices.Collect(maps.Keys(properties))
	return slices.Sorted(slices.Values(append(names, "font", "font-size")))
}

// IDs are the components that exist, sorted.
func IDs() []string { return slices.Sorted(maps.Keys(catalogue)) }
