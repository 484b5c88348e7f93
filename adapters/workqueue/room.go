package workqueue

import (
	"sync"
	"time"

	"moviola/projections"
)

// wishTime is how long a task that waits for the room to be empty keeps others out without being offered again: another process may have
// taken it.
const wishTime = 3 * lookInterval

// room is what tasks of several kinds share: one that is apart is in it alone. It is safe for concurrent use.
type room struct {
	mu    sync.Mutex
	tasks map[string]bool   // in work, by item
	stops map[string]func() // of those that end at once when another has to be alone
	apart string            // the item that has the room for itself
	wish  string            // the item that waits for the room to be empty
	until time.Time         // when the wish lapses
}

func newRoom() *room { return &room{tasks: make(map[string]bool), stops: make(map[string]func())} }

// stoppable says how a task that is in the room can be ended at once.
func (r *room) stoppable(task projections.Task, stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops[task.ID] = stop
}

// enter lets a task in, or returns false when it has to wait. While one that is apart waits, nobody else is let in.
func (r *room) enter(task projections.Task, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waited := r.wish != "" && now.Before(r.until)
	switch {
	case r.apart != "", waited && r.wish != task.ID:
		return false
	case task.Apart && len(r.tasks) > 0:
		r.wish, r.until = task.ID, now.Add(wishTime)
		for _, stop := range r.stops {
			stop()
		}
		return false
	}
	r.wish = ""
	r.tasks[task.ID] = true
	if task.Apart {
		r.apart = task.ID
	}
	return true
}

// leave lets others in, and says whether any may have waited.
func (r *room) leave(task projections.Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tasks, task.ID)
	delete(r.stops, task.ID)
	if r.apart != task.ID {
		return r.wish != ""
	}
	r.apart = ""
	return true
}
