package workqueue

import (
	"cmp"
	"context"
	"time"

	"moviola/commands"
	"moviola/projections"
)

// patience is how long, from its first claim on, work waits for its next turn like any other. Then every second turn is its, so that what is
// stopped again and again does not run out of time for that. Work of accounts that come later takes turns like any other from then on.
const patience = 5 * time.Minute

// turnTimes are how long a task has its slot before another account's may ask for it, by kind. Other kinds are not asked: they take no time.
var turnTimes = map[string]time.Duration{
	projections.WorkRender: time.Second, projections.WorkFetch: 10 * time.Second, projections.WorkPreload: 10 * time.Second,
}

// late stands in the restraint for all work that comes later: each time some of it was stopped, all of it rests, longer and longer.
var late = projections.Task{WorkItem: projections.WorkItem{ID: "later"}}

// yields knows how to ask tasks in work for their slots when others wait.
type yields struct {
	stop  map[string]context.CancelCauseFunc // by item
	since map[string]time.Time               // when each was handed out
	asked string                             // the item whose slot is asked back; empty: none
}

func newYields() yields {
	return yields{stop: make(map[string]context.CancelCauseFunc), since: make(map[string]time.Time)}
}

// begun notes that a task was handed out.
func (y *yields) begun(task projections.Task, now time.Time, stop context.CancelCauseFunc) {
	if turnTimes[task.Kind] > 0 {
		y.stop[task.ID], y.since[task.ID] = stop, now
	}
}

// ended forgets a task, and says whether its slot was asked back.
func (y *yields) ended(id string) bool {
	delete(y.stop, id)
	delete(y.since, id)
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

// shareable returns the task in work that is to share its slot first: of the account with the most tasks in work, the one that has had its
// slot for longest. An item of a preload begins anew when it is stopped: then it is the one that was begun last, and its account keeps one at
// least. It returns false when there is none, or one was asked already.
func (s *subscription) shareable(now time.Time) (string, bool) {
	if s.yields.asked != "" {
		return "", false
	}
	inWork := inWorkOf(s.running)
	first, found := "", false
	for id, since := range s.yields.since {
		task := s.running[id]
		if task.Apart || now.Sub(since) < turnTimes[task.Kind] || s.anew() && inWork[task.Account] < 2 {
			continue
		}
		longest := since.Compare(s.yields.since[first])
		if s.anew() {
			longest = -longest
		}
		if !found || cmp.Or(cmp.Compare(inWork[s.running[first].Account], inWork[task.Account]), longest, cmp.Compare(id, first)) < 0 {
			first, found = id, true
		}
	}
	return first, found
}

// anew says that tasks of the kind lose what they have done when they are stopped.
func (s *subscription) anew() bool { return s.kind == projections.WorkPreload }

// mayAsk says whether a task in work might be asked for its slot now.
func (s *subscription) mayAsk(now time.Time) bool {
	_, stops := s.stoppable(now)
	_, shares := s.shareable(now)
	return stops || shares
}

// giveWay asks a slot back when one of the tasks waits for it: at once from work that comes later, else from a render of another account that
// has more in work than the one that waits.
func (s *subscription) giveWay(tasks []projections.Task, now time.Time) {
	id, ok := s.stoppable(now)
	if ok && s.turns.waits(tasks, s.running, now) {
		s.ask(id, commands.ErrGiveWay)
		return
	}
	if id, ok = s.shareable(now); ok && s.turns.isOwed(tasks, s.running, s.running[id].Account, now) {
		s.ask(id, commands.ErrShare)
	}
}

// ask asks for the slot of a task in work.
func (s *subscription) ask(id string, why error) {
	s.log.WithField("work", id).WithField("why", why.Error()).Info("a task is asked for its slot and goes on later")
	s.yields.asked = id
	s.yields.stop[id](why)
}
