package timeline

// length reads the first of the named settings that is given, as a length in pixels. Percentages are parts of the font
// size.
func (s *styler) length(otherwise float64, names ...string) float64 {
	value := s.word(names...)
	if value == "" || value == "auto" || value == "normal" {
		return otherwise
	}
	n, ok := s.units.Pixels(value, s.units.Em)
	if !ok {
		s.unreadable(names[0])
		return otherwise
	}
	return n
}
