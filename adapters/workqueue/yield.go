package workqueue

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/projections"
)

// patience is how long, from its first claim on, work of accounts that come later waits for others. Then it takes turns like any other and
// is left to end: a render that was stopped again and again would time out.
const patience = 5 * time.Minute

// late stands in the restraint for all work that comes later: each time some of it was stopped, all of it rests, longer and longer.
var late = projections.Task{WorkItem: projections.WorkItem{ID: "later"}}

// yields knows how to stop tasks in work when others wait for their slots.
type yields struct {
	stop  map[string]context.CancelCauseFunc // by item
	asked string                             // the item whose slot is asked back; empty: none
}

// begun notes that a task was handed out. Only renders take long enough to be worth it.
func (y *yields) begun(task projections.Task, stop context.CancelCauseFunc) {
	if task.Kind == projections.WorkRender {
		y.stop[task.ID] = stop
	}
}

// ended forgets a task, and says whether its slot was asked back.
func (y *yields) ended(id string) bool {
	delete(y.stop, id)
	if y.asked != id {
		return false
	}
	y.asked = ""
	return true
}

// stoppable returns a task in work that comes later than those of others and can be stopped now, and false when there is none. One is stopped
// at a time.
func (s *subscription) stoppable(now time.Time) (string, bool) {
	if s.yields.asked != "" {
		return "", false
	}
	for id := range s.yields.stop {
		if s.turns.comesLater(s.running[id], now) {
			return id, true
		}
	}
	return "", false
}

// giveWay asks a slot back when one of the tasks waits for it.
func (s *subscription) giveWay(tasks []projections.Task, now time.Time) {
	id, ok := s.stoppable(now)
	if ok && s.turns.waits(tasks, s.running, now) {
		s.log.WithField("work", id).Info("others wait: it is stopped and done later")
		s.yields.asked = id
		s.yields.stop[id](commands.ErrGiveWay)
	}
}
