package pressure

import (
	"sync"
	"time"
)

// Timer counts time, and calls a function when it has counted up to a limit. It does not count time in which any program
// of this machine waits for a processor because other programs use it (decision 98). From NewTimer or the last call of Renew
// on, it leaves out at most a set duration; further time counts. A Timer is safe for concurrent use.
type Timer struct {
	limit, most time.Duration
	busy        func() time.Duration
	expired     func()

	mu      sync.Mutex
	timer   *time.Timer   // runs while time is counted; nil: time is not counted
	left    time.Duration // time still to be counted up to the limit, as it was at the time in the field since
	spared  time.Duration // time left out so far because the machine was busy; at most the field most
	since   time.Time     // when left, spared and waiting were last updated
	waiting time.Duration // what the function busy returned at the time in the field since
}

// NewTimer returns a timer that counts nothing until Start is called. When it has counted up to limit, it stops itself and
// calls expired. busy returns how long programs have waited for a processor since some fixed moment; nil stands for the
// function CPU. The timer leaves out the time by which this value grows, but no more than the duration most until Renew is
// called.
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
	// When expire is already running, it is too late to stop it. Then expire finds that t.timer is nil, and does nothing.
	t.timer.Stop()
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

// count subtracts from left the time that has passed since the last call of Start, Renew or count, except for the part of
// it in which the machine was busy, as far as the field most allows. The caller holds mu.
func (t *Timer) count() {
	now, waiting := time.Now(), t.busy()
	passed := now.Sub(t.since)
	spared := max(0, min(passed, waiting-t.waiting, t.most-t.spared)) // waiting falls when it cannot be read
	t.spared += spared
	t.left -= passed - spared
	t.since, t.waiting = now, waiting
}

// leastWait is the shortest rest of the limit for which expire waits again, after time was left out. When less is left,
// expire takes the limit as reached.
const leastWait = 10 * time.Millisecond

// expire runs when the timer would have reached the limit. It calls expired, unless so much time was left out that it has
// to wait again.
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
