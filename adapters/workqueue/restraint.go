package workqueue

import (
	"math/rand/v2"
	"time"

	"moviola/projections"
)

// firstRest is how long an item rests after it ended here once: doubling from there to the longest, with up to a quarter of jitter off.
const firstRest = 500 * time.Millisecond

// restraint keeps items that have just been in work from being handed out again at once: failed ones until their backoff is
// over, and finished ones for as long as the work list, which trails the log, still shows the state they were taken in.
type restraint struct {
	longest time.Duration
	resting map[string]rest
}

type rest struct {
	task   projections.Task
	failed bool
	times  int // in a row
	until  time.Time
	forget time.Time
}

func newRestraint(longest time.Duration) restraint {
	return restraint{longest: longest, resting: make(map[string]rest)}
}

// ended notes how a task ended. Design §6: an item that fails backs off.
func (r *restraint) ended(task projections.Task, ok bool, now time.Time) {
	times := 1
	before, known := r.resting[task.ID]
	if known && before.failed == !ok && (!ok || same(before.task, task)) {
		times = before.times + 1
	}
	length := r.restFor(times)
	until := now.Add(length)
	r.resting[task.ID] = rest{task: task, failed: !ok, times: times, until: until, forget: until.Add(4 * length)}
}

// allows tells whether a task may be handed out now.
func (r *restraint) allows(task projections.Task, now time.Time) bool {
	before, known := r.resting[task.ID]
	return !known || !now.Before(before.until) || !before.failed && !same(before.task, task)
}

// same tells whether two tasks show one state of one item.
func same(a, b projections.Task) bool {
	return a.State == b.State && a.Due.Equal(b.Due) && a.Attempt == b.Attempt && a.Worker == b.Worker && a.Dead == b.Dead
}

// perAccount counts the items at rest.
func (r *restraint) perAccount(now time.Time) map[string]int {
	counts := make(map[string]int)
	for _, rest := range r.resting {
		if now.Before(rest.until) {
			counts[rest.task.Account]++
		}
	}
	return counts
}

// next returns how long it is until the first rest ends.
func (r *restraint) next(now time.Time) (time.Duration, bool) {
	var first time.Duration
	found := false
	for _, rest := range r.resting {
		if left := rest.until.Sub(now); left > 0 && (!found || left < first) {
			first, found = left, true
		}
	}
	return first, found
}

// forget drops the items that have not come back for long enough after their rest.
func (r *restraint) forget(now time.Time) {
	for id, rest := range r.resting {
		if now.After(rest.forget) {
			delete(r.resting, id)
		}
	}
}

func (r *restraint) restFor(times int) time.Duration {
	d := r.longest
	if times < 16 {
		d = min(r.longest, firstRest<<(times-1))
	}
	return d - rand.N(d/4)
}
