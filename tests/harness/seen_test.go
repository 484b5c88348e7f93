package harness

import (
	"testing"
	"time"
)

func TestUntilMonth(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]time.Duration{
		"2026-11-26T12:00:00Z": 0, "2026-11-30T23:54:59Z": 0, "2026-11-30T23:59:00Z": time.Minute, "2026-12-01T00:00:00Z": 0,
		"2026-12-31T23:58:00Z": 2 * time.Minute, "2027-01-01T00:59:30+01:00": 30 * time.Second, "2028-02-28T23:59:59Z": 0,
		"2028-02-29T23:59:59Z": time.Second,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := untilMonth(now); got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}
