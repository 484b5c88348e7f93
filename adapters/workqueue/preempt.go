package workqueue

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"moviola/commands"
	"moviola/projections"
)

// agedAfter is how long after its first claim a task counts as aged. Of accounts with equally many running tasks, those
// whose first task has aged get up to every second turn, so that a task that is stopped again and again still goes on. An
// aged background task gets its turns like any other task.
const agedAfter = 5 * time.Minute

// minimumSlotTime is how long a task keeps its slot before it may be stopped for another account, by kind. A background
// task of these kinds may be stopped earlier. Tasks of other kinds are not stopped for other accounts.
var minimumSlotTime = map[string]time.Duration{
	projections.WorkRender: time.Second, projections.WorkFetch: 10 * time.Second, projections.WorkPreload: 10 * time.Second,
}

// late is the item under which the backoff records all background tasks of a kind together. When a background task has
// been stopped, those that have not aged wait, each time longer up to Config.LongestRest.
var late = projections.Task{WorkItem: projections.WorkItem{ID: "later"}}

// preemption stops running tasks when other tasks wait for their slots. One task is stopped at a time: the next task is
// stopped only after the previous one has ended, or if that one keeps its slot (commands.KeepSlot).
type preemption struct {
	tasks map[string]stoppable // the running tasks that may be stopped, by item
	asked string               // item of the task that was told to stop last, if it has not ended; empty: none
}

// stoppable is a running task that may be stopped.
type stoppable struct {
	since time.Time               // when the task was started
	stop  context.CancelCauseFunc // stops the task
	// kept is set by the task, with commands.KeepSlot, when it will not give its slot to the task of another account.
	kept *atomic.Bool
}

func newPreemption() preemption { return preemption{tasks: make(map[string]stoppable)} }

// started notes that a task was started, and how it is stopped. The task sets the mark kept when it will not give its
// slot to the task of another account.
func (y *preemption) started(task projections.Task, now time.Time, stop context.CancelCauseFunc, kept *atomic.Bool) {
	if minimumSlotTime[task.Kind] > 0 {
		y.tasks[task.ID] = stoppable{now, stop, kept}
	}
}

// finished forgets a task that has ended, and reports whether it had been told to stop.
func (y *preemption) finished(id string) bool {
	delete(y.tasks, id)
	if y.asked != id {
		return false
	}
	y.asked = ""
	return true
}

// preemptibleBackground returns a running background task that may be stopped now, and false when there is none.
func (s *subscription) preemptibleBackground(now time.Time) (string, bool) {
	if s.preempt.asked != "" {
		return "", false
	}
	for id := range s.preempt.tasks {
		if s.rotation.isBackground(s.running[id], now) {
			return id, true
		}
	}
	return "", false
}

// preemptible returns the item of the running task to stop first for another account, and false when there is none. Of the
// tasks that can be chosen, it is the longest-running one of the account with the most running tasks. Preload items lose
// their progress when they are stopped. So among preload items it is the newest, and never the only one of an account. A
// task is not chosen if it keeps its slot (commands.KeepSlot), runs alone (Apart), or has had its slot for less than
// minimumSlotTime. While a task that was told to stop still runs, no other task is chosen, unless that task keeps its
// slot.
func (s *subscription) preemptible(now time.Time) (string, bool) {
	if asked := s.preempt.asked; asked != "" && !s.preempt.tasks[asked].kept.Load() {
		return "", false
	}
	inWork := inWorkOf(s.running)
	first, found := "", false
	for id, running := range s.preempt.tasks {
		task := s.running[id]
		if task.Apart || running.kept.Load() || now.Sub(running.since) < minimumSlotTime[task.Kind] ||
			s.restartsFromZero() && inWork[task.Account] < 2 {
			continue
		}
		longest := running.since.Compare(s.preempt.tasks[first].since)
		if s.restartsFromZero() {
			longest = -longest
		}
		if !found || cmp.Or(cmp.Compare(inWork[s.running[first].Account], inWork[task.Account]), longest, cmp.Compare(id, first)) < 0 {
			first, found = id, true
		}
	}
	return first, found
}

// restartsFromZero reports whether tasks of the kind lose what they have done when they are stopped.
func (s *subscription) restartsFromZero() bool { return s.kind == projections.WorkPreload }

// canPreempt reports whether some running task may be stopped for another.
func (s *subscription) canPreempt(now time.Time) bool {
	_, stops := s.preemptibleBackground(now)
	_, shares := s.preemptible(now)
	return stops || shares
}

// preemptFor stops one running task when one of the waiting tasks deserves its slot. Waiting background tasks, and tasks
// of accounts that may run no further task, deserve none. A running background task is stopped when another task waits for
// a slot. Otherwise the task that preemptible returns is stopped, if the account of a waiting task runs nothing, or at
// least two tasks fewer than the account of the stopped task.
func (s *subscription) preemptFor(tasks []projections.Task, now time.Time) {
	id, ok := s.preemptibleBackground(now)
	if ok && s.rotation.anyWaits(tasks, s.running, now) {
		s.requestSlot(id, commands.ErrGiveWay)
		return
	}
	if id, ok = s.preemptible(now); ok && s.rotation.deservesSlot(tasks, s.running, s.running[id].Account, now) {
		s.requestSlot(id, commands.ErrShare)
	}
}

// requestSlot tells a running task to stop and to hand its slot back.
func (s *subscription) requestSlot(id string, why error) {
	s.log.WithField("work", id).WithField("why", why.Error()).Info("item of work asked to stop: another account needs its " +
		"slot; if it stops, it runs again in a later turn")
	s.preempt.asked = id
	s.preempt.tasks[id].stop(why)
}
