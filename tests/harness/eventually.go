package harness

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what has to come. It only ends a test that hangs: on a machine that is busy with other
// things anything may take long.
const Patience = 5 * time.Minute

// longestPause is the longest that Eventually leaves between two questions.
const longestPause = 200 * time.Millisecond

// Eventually asks, less and less often, until the answer is true, and fails the test when Patience has run out.
func Eventually(t testing.TB, what string, ask func() bool) {
	t.Helper()
	Patiently(t, what, func() (bool, any) { return ask(), nil })
}

// Patiently is Eventually for something that shows how far it is: patience begins anew whenever that changes.
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
