package workqueue

import (
	"sync"
	"time"

	"moviola/projections"
)

// reservationTime is how long a task that waits to run alone keeps other tasks from starting. Each call of admit for the
// task renews it; no such call comes when, for example, another process has taken the task's item.
const reservationTime = 3 * pollInterval

// exclusive is a lock that tasks of several kinds share. A task whose field Apart is true holds it alone; all others hold it
// together. It is safe for concurrent use.
type exclusive struct {
	mu    sync.Mutex
	tasks map[string]bool // ids of the work items whose tasks hold the lock
	// stops contains, by item, a function that stops the task of the item at once. Tasks that may not be stopped at once
	// have none.
	stops    map[string]func()
	apart    string    // the item that holds the lock alone; empty: none
	reserved string    // the item that waits to hold the lock alone; empty: none
	until    time.Time // when the reservation lapses
}

func newExclusive() *exclusive {
	return &exclusive{tasks: make(map[string]bool), stops: make(map[string]func())}
}

// endable notes the function that ends a task at once. It is called when another task has to run alone.
func (r *exclusive) endable(task projections.Task, stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops[task.ID] = stop
}

// admit gives a task the lock, or returns false when it has to wait. While a task waits to run alone, no other is admitted.
func (r *exclusive) admit(task projections.Task, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waited := r.reserved != "" && now.Before(r.until)
	switch {
	case r.apart != "", waited && r.reserved != task.ID:
		return false
	case task.Apart && len(r.tasks) > 0:
		r.reserved, r.until = task.ID, now.Add(reservationTime)
		for _, stop := range r.stops {
			stop()
		}
		return false
	}
	r.reserved = ""
	r.tasks[task.ID] = true
	if task.Apart {
		r.apart = task.ID
	}
	return true
}

// release takes the lock from a task, and reports whether another task may wait for the lock.
func (r *exclusive) release(task projections.Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tasks, task.ID)
	delete(r.stops, task.ID)
	if r.apart != task.ID {
		return r.reserved != ""
	}
	r.apart = ""
	return true
}
