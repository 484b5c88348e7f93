package document

// Outlook is the length and price of a finished movie, as far as its JSON tells.
type Outlook struct {
	// Duration, in seconds, and Credits are final if Exact is true. Otherwise they are estimates: sources of unknown length
	// count as 0, and properties whose values are not known yet have their defaults.
	Duration float64
	Credits  int64
	Exact    bool
	// Short and Long are the timings with sources of length 0, and with very long sources. Times that are equal in both do not
	// depend on the sources.
	Short, Long Timing
}

// OutlookOf computes an Outlook: the length and price of a movie as far as its JSON tells, before its sources are known.
// Durations are whole frames (decision 28).
func OutlookOf(m *Movie) Outlook {
	o := Outlook{
		Short: Time(m, func(string) (Seconds, bool) { return Seconds{}, false }),
		Long:  Time(m, func(string) (Seconds, bool) { return SecondsOf(veryLong), true }),
	}
	frames := m.FPS.Frame(o.Short.Length)
	o.Duration, o.Credits = m.FPS.Seconds(frames).Float(), m.FPS.Credits(frames)
	o.Exact = o.Short.Length.Equal(o.Long.Length) && !m.Waits()
	return o
}
