package timeline

import (
	"strings"

	"moviola/domain/css"
)

// background reads a colour or a gradient. Background images are not supported.
func (s *styler) background() (Color, *Gradient) {
	for _, name := range []string{"background-image", "background"} {
		value := s.word(name)
		if !strings.Contains(value, "-gradient(") {
			continue
		}
		b, ok := css.ParseBackground(value)
		if !ok {
			s.unreadable(name)
		}
		otherwise := s.defaults.background
		if b.Color != nil {
			otherwise = *b.Color
		}
		return s.color(otherwise, "background-color"), b.Gradient
	}
	names := []string{"background-color", "background"}
	if s.defaults.boxes == PillBoxes {
		names = append([]string{"pill-color"}, names...)
	}
	if s.word(names...) == "none" {
		return Color{}, nil
	}
	return s.color(s.defaults.background, names...), nil
}
