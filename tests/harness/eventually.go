package harness

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what has to come. It only ends a test that hangs: on a machine that is busy with other things
// anything may take long.
const Patience = 5 * time.Minute

// longestPause is the longest that Eventually leaves between two questions.
const longestPause = 200 * time.Millisecond

// Eventually asks, less and less often, until the answer is true, and fails the test when Patience has run out.
func Eventually(t testing.TB, what string, ask func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	for pause := 5 * time.Millisecond; !ask(); pause = min(2*pause, longestPause) {
		select {
		case <-time.After(pause):
		case <-deadline:
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}

// Receive waits for what a channel brings.
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

// NextMillisecond waits for the clock's next millisecond: what is listed by its time, in whole milliseconds, has an order then.
func NextMillisecond() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
	}
}
