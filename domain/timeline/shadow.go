package timeline

import (
	"slices"
	"strings"

	"moviola/domain/document"
)

// The bounds of decorations. They keep what a hostile setting costs in check.
const (
	maxShadows = 8
	maxBlur    = 200
	maxStroke  = 200
)

// shadows reads the shadows of the letters: the topmost one and those below it.
func (s *styler) shadows() (*Shadow, []Shadow) {
	value, ok := s.first("text-shadow", "shadow")
	value = strings.ToLower(value)
	first := defaultShadow
	switch {
	case !ok || value == "true":
		return &first, nil
	case value == "none" || value == "false" || value == "0":
		return nil, nil
	}
	var all []Shadow
	for _, one := range list(value) {
		shadow, lengths, ok := s.shadow(one)
		if !ok || len(lengths) > 3 {
			s.warn("The setting 'text-shadow' cannot be read")
			return nil, nil
		}
		all = append(all, shadow)
	}
	all = all[:min(len(all), maxShadows)]
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return &all[0], nil
	}
	return &all[0], all[1:]
}

// shadow reads "x y [blur]" and a colour, in any order; a plain number is how far the shadow lies to the right and below.
func (s *styler) shadow(value string) (shadow Shadow, lengths []float64, ok bool) {
	shadow.Color = document.Black
	for _, part := range parts(value) {
		if n, ok := s.units.pixels(part); ok {
			lengths = append(lengths, min(max(n, -giant), giant))
		} else if c, ok := document.ParseColor(part); ok {
			shadow.Color = c
		} else {
			return Shadow{}, nil, false
		}
	}
	if len(lengths) == 1 && !strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz%") {
		return Shadow{X: lengths[0], Y: lengths[0], Color: defaultShadow.Color}, lengths, true
	}
	if len(lengths) < 2 {
		return Shadow{}, nil, false
	}
	shadow.X, shadow.Y = lengths[0], lengths[1]
	if len(lengths) > 2 {
		shadow.Blur = min(max(lengths[2], 0), maxBlur)
	}
	return shadow, lengths, true
}

// boxShadow reads "x y [blur [spread]]" and a colour. Of several shadows the first one counts.
func (s *styler) boxShadow() *BoxShadow {
	value := s.word("box-shadow")
	if value == "" || value == "none" {
		return nil
	}
	shadows := list(value)
	if len(shadows) == 0 {
		s.warn("The setting 'box-shadow' cannot be read")
		return nil
	}
	shadow, lengths, ok := s.shadow(shadows[0])
	if !ok || len(lengths) > 4 {
		s.warn("The setting 'box-shadow' cannot be read")
		return nil
	}
	box := &BoxShadow{Shadow: shadow}
	if len(lengths) > 3 {
		box.Spread = min(max(lengths[3], -giant), giant)
	}
	return box
}

// decorate reads the lines along the letters.
func (s *styler) decorate(t *TextSettings) {
	for _, word := range strings.Fields(s.word("text-decoration", "text-decoration-line")) {
		switch word {
		case "underline":
			t.Underline = true
		case "line-through":
			t.LineThrough = true
		case "overline":
			t.Overline = true
		}
	}
}

// stroke reads the line around the letters: a width and a colour, together or each by its own name.
func (s *styler) stroke(t *TextSettings) {
	t.StrokeColor = document.Black
	width := s.line(&t.StrokeColor, "-webkit-text-stroke", "text-stroke", "stroke")
	width = s.length(width, "-webkit-text-stroke-width", "text-stroke-width", "stroke-width")
	t.StrokeColor = s.color(t.StrokeColor, "-webkit-text-stroke-color", "text-stroke-color", "stroke-color")
	if t.StrokeWidth = min(max(width, 0), maxStroke); t.StrokeWidth == 0 {
		t.StrokeColor = Color{}
	}
}

// border reads the line around the textbox.
func (s *styler) border(t *TextSettings) {
	t.BorderColor = t.Color
	width := s.line(&t.BorderColor, "border")
	width = s.length(width, "border-width")
	t.BorderColor = s.color(t.BorderColor, "border-color")
	style := s.word("border-style")
	if t.BorderWidth = min(max(width, 0), maxStroke); t.BorderWidth == 0 || style == "none" || style == "hidden" {
		t.BorderWidth, t.BorderColor = 0, Color{}
	}
}

// line reads "width style colour" in any order, and returns the width: 0 without any. The styles that are not known are solid.
func (s *styler) line(color *Color, names ...string) (width float64) {
	const thin = 1
	value := s.word(names...)
	if value == "none" || value == "" {
		return 0
	}
	given := false
	for _, part := range parts(value) {
		if n, ok := s.units.pixels(part); ok {
			width, given = n, true
		} else if c, ok := document.ParseColor(part); ok {
			*color = c
		} else if !slices.Contains([]string{"solid", "dashed", "dotted", "double"}, part) {
			s.warn("The setting '" + names[len(names)-1] + "' cannot be read")
			return 0
		}
	}
	if !given {
		width = thin
	}
	return width
}
