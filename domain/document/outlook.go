package document

// Outlook is what the JSON of a movie says of the finished one.
type Outlook struct {
	// Duration, in seconds, and Credits are those of the finished movie when Exact; otherwise they grow by what its sources turn out to last.
	Duration float64
	Credits  int64
	Exact    bool
	// Short and Long are the times with sources that last no time at all, and with very long ones: what is the same in both follows from the
	// JSON alone.
	Short, Long Timing
}

// OutlookOf lays a movie out whose sources are not known. Durations are whole frames (decision 28).
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
