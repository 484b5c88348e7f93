package workqueue

import (
	"cmp"
	"slices"
	"time"

	"moviola/projections"
)

// maxRemembered is the number of remembered last turns above which those of accounts without a waiting task are forgotten.
const maxRemembered = 4096

// rotation decides which account's task starts next. The first rule that tells two accounts apart decides:
//
//  1. background accounts come last, until their task has aged;
//  2. the account with fewer running tasks;
//  3. at most every second time, an account whose first task has aged;
//  4. the account whose last turn is longer ago. With a single slot, rule 2 never decides, because no task runs when
//     the next one is picked;
//  5. the account whose first task has been due longer;
//  6. the account's id.
type rotation struct {
	last   map[string]uint64 // number of each account's last turn, counted from 1
	turn   uint64
	aged   bool            // the last turn went to an aged task
	newest string          // the item that had the last turn
	later  map[string]bool // background accounts: see Config.Later
	limit  int             // maximum of running tasks of one account; 0: no limit
}

func newRotation(later []string, limit int) rotation {
	t := rotation{last: make(map[string]uint64), later: make(map[string]bool), limit: limit}
	for _, account := range later {
		t.later[account] = true
	}
	return t
}

// isBackground reports whether a task starts after everybody else's.
func (t *rotation) isBackground(task projections.Task, now time.Time) bool {
	return t.later[task.Account] && (task.Since == nil || now.Sub(*task.Since) < agedAfter)
}

// isOld reports whether a task has aged: its first claim was at least agedAfter ago.
func isOld(task projections.Task, now time.Time) bool {
	return task.Since != nil && now.Sub(*task.Since) >= agedAfter
}

// isAgedTurn reports whether a task is preferred now by rule 3 of the type rotation. The task must have aged. The task
// picked last must have been another one, and not aged.
func (t *rotation) isAgedTurn(task projections.Task, now time.Time) bool {
	return !t.aged && task.ID != t.newest && isOld(task, now)
}

// anyWaits reports whether one of the tasks would start if a slot were free, and is no background task.
func (t *rotation) anyWaits(tasks []projections.Task, running map[string]projections.Task, now time.Time) bool {
	inWork := inWorkOf(running)
	return slices.ContainsFunc(tasks, func(task projections.Task) bool {
		return !t.isBackground(task, now) && (t.limit == 0 || inWork[task.Account] < t.limit)
	})
}

// deservesSlot reports whether one of the tasks should get a slot that another account, named by the parameter by,
// occupies. The account of the task must run nothing, or at least two tasks fewer than the other one, and fewer than its
// limit. The task must not be a background task.
func (t *rotation) deservesSlot(tasks []projections.Task, running map[string]projections.Task, by string, now time.Time) bool {
	inWork := inWorkOf(running)
	return slices.ContainsFunc(tasks, func(task projections.Task) bool {
		if task.Account == by || t.isBackground(task, now) || t.limit > 0 && inWork[task.Account] >= t.limit {
			return false
		}
		return inWork[task.Account] == 0 || inWork[task.Account]+1 < inWork[by]
	})
}

// inWorkOf counts the running tasks of each account.
func inWorkOf(running map[string]projections.Task) map[string]int {
	inWork := make(map[string]int)
	for _, task := range running {
		inWork[task.Account]++
	}
	return inWork
}

// pick returns up to n of the tasks, in the order in which they start.
func (t *rotation) pick(tasks []projections.Task, running map[string]projections.Task, n int, now time.Time) []projections.Task {
	inWork := inWorkOf(running)
	waiting := byAccount(tasks)
	t.trim(waiting)
	var chosen []projections.Task
	for len(chosen) < n && len(waiting) > 0 {
		account := t.next(waiting, inWork, now)
		if t.isBackground(waiting[account][0], now) && inWork[account] > 0 {
			break // the slot is kept free: only background tasks wait, and a task of another account may come
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

// next returns the account whose turn it is, by the rules of rotation.
func (t *rotation) next(waiting map[string][]projections.Task, inWork map[string]int, now time.Time) string {
	first, found := "", false
	for account, tasks := range waiting {
		if !found || cmp.Or(
			compare(t.isBackground(tasks[0], now), t.isBackground(waiting[first][0], now)),
			cmp.Compare(inWork[account], inWork[first]),
			compare(!t.isAgedTurn(tasks[0], now), !t.isAgedTurn(waiting[first][0], now)),
			cmp.Compare(t.last[account], t.last[first]),
			tasks[0].Due.Compare(waiting[first][0].Due),
			cmp.Compare(account, first),
		) < 0 {
			first, found = account, true
		}
	}
	return first
}

// compare compares two values for sorting: false comes before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// byAccount groups tasks by account. In each group the task that has been due longest is first.
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

// trim forgets the last turns of accounts that have no waiting task, when more than maxRemembered turns are remembered.
func (t *rotation) trim(waiting map[string][]projections.Task) {
	if len(t.last) <= maxRemembered {
		return
	}
	for account := range t.last {
		if _, waits := waiting[account]; !waits {
			delete(t.last, account)
		}
	}
}
