package harness

import (
	"testing"
	"time"
)

// Patience is how long a test waits for something that must happen. It is long because it only ends tests that hang: on a busy
// machine everything may be slow.
const Patience = 5 * time.Minute

// longestPause is the longest pause that Eventually makes between two questions.
const longestPause = 200 * time.Millisecond

// Eventually calls ask, at growing intervals, until it returns true. It fails the test when Patience has run out.
func Eventually(t testing.TB, what string, ask func() bool) {
	t.Helper()
	Patiently(t, what, func() (bool, any) { return ask(), nil })
}

// Patiently is Eventually for something that shows its progress: the wait begins anew whenever the returned state changes.
func Patiently(t testing.TB, what string, ask func() (done bool, where any)) {
	t.Helper()
	var last any
	deadline := time.Now().Add(Patience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		done, where := ask()
		switch {
		case done:
			return
		case where != last:
			last, deadline = where, time.Now().Add(Patience)
		case time.Now().After(deadline):
			t.Fatalf("not within %v: %s", Patience, what)
		}
		<-time.After(pause)
	}
}

// Receive waits for a value from a channel.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(Patience):
		t.Fatalf("not within %v: %s", Patience, what)
		panic("unreachable")
	}
}

// NextMillisecond waits for the clock's next millisecond: two things listed by their time, in whole milliseconds, then have an
// order.
func NextMillisecond() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
	}
}
