package background_test

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"moviola/internal/background"
)

// niceness of the thread that asks.
func niceness(t *testing.T) int {
	t.Helper()
	const none = 20 // what the system call itself returns for a niceness of 0
	got, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		t.Error(err)
	}
	return none - got
}

func TestThread(t *testing.T) {
	before := niceness(t)
	thread := background.New()
	var all sync.WaitGroup
	busy, done := false, 0
	for range 8 {
		all.Go(func() {
			thread.Do(func() {
				if busy {
					t.Error("two functions run at a time")
				}
				busy = true
				if got := niceness(t); got != min(before+5, 19) {
					t.Errorf("niceness %d, want 5 more than %d", got, before)
				}
				busy = false
				done++
			})
		})
	}
	all.Wait()
	thread.Close()
	thread.Close() // once more is no error
	if done != 8 {
		t.Errorf("%d functions have run, want 8", done)
	}
	for range 64 { // the thread must not have come back to the others
		all.Go(func() {
			if got := niceness(t); got != before {
				t.Errorf("another goroutine runs with niceness %d, want %d", got, before)
			}
		})
	}
	all.Wait()
}
