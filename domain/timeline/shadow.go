package timeline

import (
	"strings"

	"moviola/domain/css"
	"moviola/domain/document"
)

// The largest blur of a shadow, and the largest width of an outline or border, in pixels. They limit the cost of drawing hostile
// settings.
const (
	maxBlur   = 200
	maxStroke = 200
)

// shadows reads the shadows of the letters. It returns the topmost shadow and the further shadows.
func (s *styler) shadows() (*Shadow, []Shadow) {
	value, ok := s.first("text-shadow", "shadow")
	value = strings.ToLower(value)
	first := defaultShadow
	switch {
	case !ok && !s.defaults.shadow:
		return nil, nil
	case !ok || value == "true":
		return &first, nil
	case value == "none" || value == "false" || value == "0":
		return nil, nil
	}
	if both, isNumber := css.Number(value); isNumber { // a single number is the offset of the shadow, both to the right and down
		first.X, first.Y = both, both
		return &first, nil
	}
	var all []Shadow
	given, ok := s.units.Shadows(value)
	for _, one := range given {
		ok = ok && !one.Inset && one.Spread == 0
		all = append(all, shadowOf(one))
	}
	if !ok || len(all) == 0 {
		s.unreadable("text-shadow")
		return nil, nil
	}
	if len(all) == 1 {
		return &all[0], nil
	}
	return &all[0], all[1:]
}

func shadowOf(s css.Shadow) Shadow {
	return Shadow{X: min(max(s.X, -giant), giant), Y: min(max(s.Y, -giant), giant), Blur: min(s.Blur, maxBlur), Color: s.Color}
}

// boxShadow reads the shadow of the textbox: the first shadow that is not inset.
func (s *styler) boxShadow() *BoxShadow {
	value := s.word("box-shadow")
	given, ok := s.units.Shadows(value)
	if !ok {
		if value != "" {
			s.unreadable("box-shadow")
		}
		return nil
	}
	for _, one := range given {
		if !one.Inset {
			return &BoxShadow{Shadow: shadowOf(one), Spread: min(max(one.Spread, -giant), giant)}
		}
	}
	return nil
}

// decorate reads underline, overline and strike-through lines.
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

// stroke reads the outline of the letters: width and colour, as one setting or two.
func (s *styler) stroke(t *TextSettings) {
	t.StrokeColor = document.Black
	width := s.line(&t.StrokeColor, "-webkit-text-stroke", "text-stroke", "stroke")
	width = s.length(width, "-webkit-text-stroke-width", "text-stroke-width", "stroke-width")
	t.StrokeColor = s.color(t.StrokeColor, "-webkit-text-stroke-color", "text-stroke-color", "stroke-color")
	if t.StrokeWidth = min(max(width, 0), maxStroke); t.StrokeWidth == 0 {
		t.StrokeColor = Color{}
	}
}

// border reads the border of the textbox.
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

// line reads "width style colour" in any order. It sets the colour and returns the width, or 0 when no line is given or its
// style is none or hidden. Lines of all other styles are drawn solid.
func (s *styler) line(color *Color, names ...string) (width float64) {
	const thin = 1
	value := s.word(names...)
	if value == "" {
		return 0
	}
	line, ok := s.units.Line(value)
	if !ok {
		s.unreadable(names[len(names)-1])
		return 0
	}
	if line.Color != nil {
		*color = *line.Color
	}
	switch {
	case !line.Visible():
		return 0
	case !line.HasWidth:
		return thin
	}
	return line.Width.Of(s.units.Em, 0)
}
