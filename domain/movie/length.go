package movie

// Milliseconds returns the movie's length, rounded down.
func (p Dimensions) Milliseconds() int64 { return p.Frames * p.FPSDen * 1000 / p.FPSNum }
