package domain

import "time"

// FormatTime formats a time as clients get it: UTC, ISO 8601, milliseconds, Z. Decision 2.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
