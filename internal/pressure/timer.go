package pressure

import (
	"sync"
	"time"
)

// Timer calls a function when it has counted a limit. It does not count time in which any program of this machine waits for a
// processor that others have; of that, it leaves out at most a set time (decision 98). A Timer is safe for concurrent use.
type Timer struct {
	limit, most time.Duration
	busy        func() time.Duration
	expired     func()

	mu      sync.Mutex
	timer   *time.Timer   // runs while time is counted; nil: time is not counted
	left    time.Duration // until the limit is reached, at the time since
	spared  time.Duration // time left out because the machine was busy
	since   time.Time
	waiting time.Duration // value of busy at the time since
}

// NewTimer returns a timer that counts nothing before Start. It leaves out at most most. busy returns for how long, since some
// moment, someone has waited for a processor; nil: CPU. expired is called at most once for each count to the limit, with the
// timer stopped.
func NewTimer(limit, most time.Duration, busy func() time.Duration, expired func()) *Timer {
	if busy == nil {
		busy = CPU
	}
	return &Timer{limit: limit, most: most, busy: busy, expired: expired, left: limit}
}

// Start counts from now on. It has no effect on a timer that counts.
func (t *Timer) Start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		return
	}
	t.since, t.waiting = time.Now(), t.busy()
	t.timer = time.AfterFunc(t.left, t.expire)
}

// Stop ends the counting, and reports whether time was counted until now. Start goes on where Stop has ended.
func (t *Timer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		return false
	}
	t.timer.Stop() // expire may run already: it finds no timer
	t.timer = nil
	t.count()
	return true
}

// Renew counts to the whole limit again, from now on or, if the timer is stopped, from the next Start on.
func (t *Timer) Renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left, t.spared = t.limit, 0
	if t.timer != nil {
		t.since, t.waiting = time.Now(), t.busy()
		t.timer.Reset(t.left)
	}
}

// count takes the time since Start, or since its own last call, off what is left, except for the time when the machine was
// busy. The caller holds mu.
func (t *Timer) count() {
	now, waiting := time.Now(), t.busy()
	passed := now.Sub(t.since)
	spared := min(passed, waiting-t.waiting, t.most-t.spared)
	t.spared += spared
	t.left -= passed - spared
	t.since, t.waiting = now, waiting
}

// leastWait is how much must be left, when the time has run out, for expire to wait again. With less, the limit is reached.
const leastWait = 10 * time.Millisecond

// expire calls expired, unless some of the time was not to be counted.
func (t *Timer) expire() {
	t.mu.Lock()
	if t.timer == nil {
		t.mu.Unlock()
		return
	}
	if t.count(); t.left >= leastWait {
		t.timer.Reset(t.left)
		t.mu.Unlock()
		return
	}
	t.timer = nil
	t.mu.Unlock()
	t.expired()
}
