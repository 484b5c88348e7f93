package workqueue

import (
	"math/rand/v2"
	"time"

	"moviola/projections"
)

// firstRest is the first backoff of an item. Each further backoff in a row is twice as long, up to Config.LongestRest.
// Every backoff is shortened at random, by up to a quarter. Items whose claims die wait likewise (see claims.rest), but
// for a time that is not shortened.
const firstRest = 500 * time.Millisecond

// backoff keeps items that have just ended in this process from starting again at once. A failed item waits until its backoff is
// over. An item that has succeeded waits while the work list, which follows the log with a delay, still shows the state in which
// the item was started, but at most until its backoff is over.
type backoff struct {
	longest time.Duration
	resting map[string]rest
}

type rest struct {
	task   projections.Task
	failed bool
	// times is the number of failures in a row. After a success it is the number of successes in a row that began in the
	// same state of the item.
	times  int
	until  time.Time
	forget time.Time
}

func newBackoff(longest time.Duration) backoff {
	return backoff{longest: longest, resting: make(map[string]rest)}
}

// record notes how a task ended. Design §6: an item that fails backs off.
func (r *backoff) record(task projections.Task, ok bool, now time.Time) {
	times := 1
	before, known := r.resting[task.ID]
	if known && before.failed == !ok && (!ok || same(before.task, task)) {
		times = before.times + 1
	}
	length := r.restFor(times)
	until := now.Add(length)
	r.resting[task.ID] = rest{task: task, failed: !ok, times: times, until: until, forget: until.Add(4 * length)}
}

// ready reports whether a task may be started now.
func (r *backoff) ready(task projections.Task, now time.Time) bool {
	before, known := r.resting[task.ID]
	return !known || !now.Before(before.until) || !before.failed && !same(before.task, task)
}

// same reports whether two tasks for an item were made of the same state of the item.
func same(a, b projections.Task) bool {
	return a.State == b.State && a.Due.Equal(b.Due) && a.Attempt == b.Attempt && a.Worker == b.Worker && a.Dead == b.Dead
}

// perAccount counts, for each account, the items that back off.
func (r *backoff) perAccount(now time.Time) map[string]int {
	counts := make(map[string]int)
	for _, rest := range r.resting {
		if now.Before(rest.until) {
			counts[rest.task.Account]++
		}
	}
	return counts
}

// untilNext returns the time until the first backoff ends, and false when no item backs off.
func (r *backoff) untilNext(now time.Time) (time.Duration, bool) {
	var first time.Duration
	found := false
	for _, rest := range r.resting {
		if left := rest.until.Sub(now); left > 0 && (!found || left < first) {
			first, found = left, true
		}
	}
	return first, found
}

// forget drops the record of an item when its backoff has been over for four times the length of the backoff. If the item
// has ended again meanwhile, it has a new record with a new backoff.
func (r *backoff) forget(now time.Time) {
	for id, rest := range r.resting {
		if now.After(rest.forget) {
			delete(r.resting, id)
		}
	}
}

func (r *backoff) restFor(times int) time.Duration {
	d := r.longest
	if times < 16 {
		d = min(r.longest, firstRest<<(times-1))
	}
	return d - rand.N(d/4)
}
