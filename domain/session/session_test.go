package session_test

import (
	"fmt"
	"testing"
	"time"

	"moviola/domain/session"
)

// TestEnded: what was ended stays ended, what would have ended by itself is forgotten, and there is a bound.
func TestEnded(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	at := func(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }
	var ended session.Ended
	if ended.Has("a", t0) {
		t.Error("a session has ended before it began")
	}
	for i := range 1002 {
		ended.Add(session.One{ID: fmt.Sprint(i), Began: at(i), Until: at(i + 100_000), At: at(i + 1)})
	}
	for _, i := range []int{0, 1, 2, 1001} {
		if !ended.Has(fmt.Sprint(i), at(i)) {
			t.Errorf("session %d is open again", i)
		}
	}
	if ended.Has("other", at(900)) || !ended.Has("other", at(1)) {
		t.Error("not exactly what began before the oldest that is remembered has ended")
	}
}
