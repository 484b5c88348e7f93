package workqueue

import (
	"time"

	"moviola/domain"
	"moviola/projections"
)

// maxGap is the longest time between two readings that counts as watched: an observer that was itself stopped or starved has
// not seen the silence of others.
const maxGap = 2 * lookInterval

// claims watches the signs of life of the workers that have claimed an item. Design §6: a claim is dead when its beat has not
// changed for a while on the observer's own clock; a claim without a row ages from when it was first seen. One of a worker that is known to
// have ended is dead at once. What dies again and again rests before it is handed out again, longer and longer: nobody knows whether it is to
// blame.
type claims struct {
	deadAfter time.Duration
	fate      func(worker string) Fate
	longest   time.Duration // that a dead claim rests
	last      time.Time     // of the last reading that counts; zero after one that failed
	tried     time.Time
	seen      map[string]sighting // by item
}

// sighting is what is known of one claim.
type sighting struct {
	item   projections.WorkItem
	beat   int64
	silent time.Duration // watched without a change
	death  domain.Death
	dead   time.Time // when it was found dead; zero before
}

func newClaims(c Config) claims {
	return claims{deadAfter: c.DeadAfter, fate: c.Fate, longest: c.LongestRest, seen: make(map[string]sighting)}
}

// tick tells whether it is time for another reading: wake-ups come more often than signs of life can change.
func (c *claims) tick(now time.Time) bool {
	if !c.tried.IsZero() && now.Sub(c.tried) < lookInterval/2 {
		return false
	}
	c.tried = now
	return true
}

// blind notes that a reading failed: the time up to the next one counts for nobody.
func (c *claims) blind() { c.last = time.Time{} }

// saw takes a reading in.
func (c *claims) saw(claimed []projections.WorkItem, board []projections.Presence, now time.Time) {
	var watched time.Duration
	if !c.last.IsZero() {
		watched = min(now.Sub(c.last), maxGap)
	}
	c.last = now
	beats := make(map[string]projections.Presence, len(board))
	for _, row := range board {
		beats[row.Work] = row
	}
	seen := make(map[string]sighting, len(claimed))
	for _, item := range claimed {
		current := sighting{item: item}
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

// dead returns the claims that have been silent for too long and have rested.
func (c *claims) dead(now time.Time) []projections.Task {
	var tasks []projections.Task
	for _, s := range c.seen {
		if s.silent >= c.deadAfter && !now.Before(s.dead.Add(c.rest(s.item.Deaths))) {
			tasks = append(tasks, projections.Task{WorkItem: s.item, Dead: s.item.Attempt, Death: s.death})
		}
	}
	return tasks
}

// rest is how long a claim rests whose item has died some times before: the first death is followed at once.
func (c *claims) rest(deaths int) time.Duration {
	if deaths == 0 {
		return 0
	}
	return min(c.longest, firstRest<<min(deaths-1, 16))
}
