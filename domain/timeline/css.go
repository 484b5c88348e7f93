package timeline

// length reads the first given one of the named settings as a length in pixels. Per cent are of the font size.
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
