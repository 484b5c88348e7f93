package workqueue

import (
	"time"

	"moviola/domain"
	"moviola/projections"
)

// maxGap is how much of the time between two readings of the presence board counts as observed, at most. A longer gap may
// mean that this process was paused, and then it cannot tell that workers were silent.
const maxGap = 2 * pollInterval

// claims finds dead claims on items of one kind, among those of all workers. Design §6: a claim is dead when its heartbeat
// has not changed for deadAfter on this process's own clock. A claim without a row on the presence board is measured from
// when it was first seen. The claim of a worker that is known to have ended is dead at once. An item whose claims die
// repeatedly waits before it is handed out again, longer each time up to the field longest: the item may be the cause.
type claims struct {
	deadAfter time.Duration
	fate      func(worker string) Fate
	longest   time.Duration // longest wait before an item with a dead claim is handed out again
	last      time.Time     // when the presence board was last read; zero if the last reading failed
	tried     time.Time
	seen      map[string]observation // observation of each claim, by the id of its item
}

// observation is what this process knows of one claim from the presence board.
type observation struct {
	item   projections.WorkItem
	beat   int64
	silent time.Duration // observed time without a change of the heartbeat; deadAfter when the worker is known to have ended
	death  domain.Death
	dead   time.Time // when the claim was found dead; zero: it was not found dead
}

func newClaims(c Config) claims {
	return claims{deadAfter: c.DeadAfter, fate: c.Fate, longest: c.LongestRest, seen: make(map[string]observation)}
}

// tick reports whether to read the claims and the presence board again now. It returns false if it has returned true less
// than half a pollInterval ago: the work list is polled more often than the board must be read.
func (c *claims) tick(now time.Time) bool {
	if !c.tried.IsZero() && now.Sub(c.tried) < pollInterval/2 {
		return false
	}
	c.tried = now
	return true
}

// readingFailed records that the presence board could not be read. The time until the next reading does not count as time without
// a heartbeat.
func (c *claims) readingFailed() { c.last = time.Time{} }

// observe records the heartbeat of each claimed item, as read from the presence board now, and for how long this process
// has seen no newer heartbeat of the claim. If the worker of the claim has ended, observe records deadAfter as that time.
func (c *claims) observe(claimed []projections.WorkItem, board []projections.Presence, now time.Time) {
	var watched time.Duration
	if !c.last.IsZero() {
		watched = min(now.Sub(c.last), maxGap)
	}
	c.last = now
	beats := make(map[string]projections.Presence, len(board))
	for _, row := range board {
		beats[row.Work] = row
	}
	seen := make(map[string]observation, len(claimed))
	for _, item := range claimed {
		current := observation{item: item}
		if row := beats[item.ID]; row.Attempt == item.Attempt && row.Worker == item.Worker {
			current.beat = row.Beat
		}
		before, known := c.seen[item.ID]
		if known && before.beat == current.beat && before.item.Attempt == item.Attempt && before.item.Worker == item.Worker {
			current.silent, current.death, current.dead = before.silent+watched, before.death, before.dead
		}
		if fate := c.fate(item.Worker); fate.Ended {
			current.silent, current.death = c.deadAfter, fate.Death
		}
		if current.silent >= c.deadAfter && current.dead.IsZero() {
			current.dead = now
		}
		seen[item.ID] = current
	}
	c.seen = seen
}

// dead returns a task for each claim that can be handed out again. Such a claim is dead: it had no new heartbeat for
// deadAfter, or its worker has ended. Since then, its item has waited for as long as the method rest says.
func (c *claims) dead(now time.Time) []projections.Task {
	var tasks []projections.Task
	for _, s := range c.seen {
		if s.silent >= c.deadAfter && !now.Before(s.dead.Add(c.rest(s.item.Deaths))) {
			tasks = append(tasks, projections.Task{WorkItem: s.item, Dead: s.item.Attempt, Death: s.death})
		}
	}
	return tasks
}

// rest is how long an item waits after its claim has died, by the number of earlier deaths of its claims. After the first death
// it does not wait.
func (c *claims) rest(deaths int) time.Duration {
	if deaths == 0 {
		return 0
	}
	return min(c.longest, firstRest<<min(deaths-1, 16))
}
