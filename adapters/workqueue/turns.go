package workqueue

import (
	"cmp"
	"slices"
	"time"

	"moviola/projections"
)

// maxRemembered bounds how many accounts' last turns are kept.
const maxRemembered = 4096

// turns lets accounts take turns: the one with the fewest tasks in work, then, every second time, one whose work was begun long ago, then
// the one whose last turn is longest ago, then the one whose work has been due longest. The last turn is what keeps a single slot fair, where nobody has a task in work when
// the choice is made.
type turns struct {
	last   map[string]uint64 // number of each account's last turn
	turn   uint64
	aged   bool            // the last turn went to old work
	newest string          // the item that had the last turn
	later  map[string]bool // accounts that come after all others, one task at a time
	limit  int             // no account gets more in work; 0: as many as there are places
}

func newTurns(later []string, limit int) turns {
	t := turns{last: make(map[string]uint64), later: make(map[string]bool), limit: limit}
	for _, account := range later {
		t.later[account] = true
	}
	return t
}

// comesLater says whether a task comes after those of others now.
func (t *turns) comesLater(task projections.Task, now time.Time) bool {
	return t.later[task.Account] && (task.Since == nil || now.Sub(*task.Since) < patience)
}

// isOld says whether a task was begun so long ago that every second turn is for the likes of it.
func isOld(task projections.Task, now time.Time) bool {
	return task.Since != nil && now.Sub(*task.Since) >= patience
}

// comesFirst says whether the next turn is for the likes of a task: old work whose turn it was not just now.
func (t *turns) comesFirst(task projections.Task, now time.Time) bool {
	return !t.aged && task.ID != t.newest && isOld(task, now)
}

// waits says whether one of the tasks waits for a place that another might leave to it.
func (t *turns) waits(tasks []projections.Task, running map[string]projections.Task, now time.Time) bool {
	inWork := inWorkOf(running)
	return slices.ContainsFunc(tasks, func(task projections.Task) bool {
		return !t.comesLater(task, now) && (t.limit == 0 || inWork[task.Account] < t.limit)
	})
}

// isOwed says whether an account that waits with one of the tasks has so much less in work than another that a slot should pass to it.
func (t *turns) isOwed(tasks []projections.Task, running map[string]projections.Task, by string, now time.Time) bool {
	inWork := inWorkOf(running)
	return slices.ContainsFunc(tasks, func(task projections.Task) bool {
		if task.Account == by || t.comesLater(task, now) || t.limit > 0 && inWork[task.Account] >= t.limit {
			return false
		}
		return inWork[task.Account] == 0 || inWork[task.Account]+1 < inWork[by]
	})
}

// inWorkOf counts what each account has in work.
func inWorkOf(running map[string]projections.Task) map[string]int {
	inWork := make(map[string]int)
	for _, task := range running {
		inWork[task.Account]++
	}
	return inWork
}

// choose returns up to n of the tasks, in the order in which they are to be started.
func (t *turns) choose(tasks []projections.Task, running map[string]projections.Task, n int, now time.Time) []projections.Task {
	inWork := inWorkOf(running)
	waiting := byAccount(tasks)
	t.trim(waiting)
	var chosen []projections.Task
	for len(chosen) < n && len(waiting) > 0 {
		account := t.next(waiting, inWork, now)
		if t.comesLater(waiting[account][0], now) && inWork[account] > 0 {
			break // nobody else waits, and somebody may come
		}
		if t.limit > 0 && inWork[account] >= t.limit {
			delete(waiting, account)
			continue
		}
		chosen = append(chosen, waiting[account][0])
		t.newest, t.aged = waiting[account][0].ID, isOld(waiting[account][0], now)
		if waiting[account] = waiting[account][1:]; len(waiting[account]) == 0 {
			delete(waiting, account)
		}
		inWork[account]++
		t.turn++
		t.last[account] = t.turn
	}
	return chosen
}

// next returns the account whose turn it is.
func (t *turns) next(waiting map[string][]projections.Task, inWork map[string]int, now time.Time) string {
	first, found := "", false
	for account, tasks := range waiting {
		if !found || cmp.Or(
			compare(t.comesLater(tasks[0], now), t.comesLater(waiting[first][0], now)),
			cmp.Compare(inWork[account], inWork[first]),
			compare(!t.comesFirst(tasks[0], now), !t.comesFirst(waiting[first][0], now)),
			cmp.Compare(t.last[account], t.last[first]),
			tasks[0].Due.Compare(waiting[first][0].Due),
			cmp.Compare(account, first),
		) < 0 {
			first, found = account, true
		}
	}
	return first
}

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// byAccount groups tasks, each account's oldest first.
func byAccount(tasks []projections.Task) map[string][]projections.Task {
	groups := make(map[string][]projections.Task)
	for _, task := range tasks {
		groups[task.Account] = append(groups[task.Account], task)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b projections.Task) int {
			return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
		})
	}
	return groups
}

// trim forgets the turns of accounts that wait for nothing, when there are too many.
func (t *turns) trim(waiting map[string][]projections.Task) {
	if len(t.last) <= maxRemembered {
		return
	}
	for account := range t.last {
		if _, waits := waiting[account]; !waits {
			delete(t.last, account)
		}
	}
}
