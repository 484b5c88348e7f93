package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"moviola/eventstore"
)

const (
	// pollInterval is how often a process that does not project reads the checkpoint while somebody waits for it. While nobody
	// waits, it skips idlePolls reads after each one.
	pollInterval = 20 * time.Millisecond
	idlePolls    = 4
	// pointerInterval is how often a process checks which generation is current.
	pointerInterval = time.Second
	// sweepInterval is how often old tombstones are removed.
	sweepInterval = 10 * time.Minute
	// keepTombstones is how long a tombstone stays at least. It must be longer than a process can hold documents that
	// it has loaded (see commitTimeout), by a margin that covers clocks that differ.
	keepTombstones = 24 * time.Hour
	// keepRetired is how long the collections of an old generation stay after the switch: longer than a process takes to notice
	// the switch.
	keepRetired = time.Minute
	// keepErased is how long the collections of an old generation stay after the switch at least, when DropFormer waits
	// until they are dropped and other processes live. It is longer than a request usually takes that began before the
	// switch. DropFormer drops no collection that a live process reads, as its heartbeat says.
	keepErased = 20 * time.Second
	// sweepLimit is the maximum of tombstones removed in one step.
	sweepLimit = 1000
)

// watch follows the progress that other processes make with the read models, until ctx ends.
func (r *Reader) watch(ctx context.Context) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	chores := newChores(r)
	for tick := 0; ctx.Err() == nil; tick++ {
		if r.waits.any() || tick%(idlePolls+1) == 0 {
			chores.follow(ctx)
			r.persist(ctx, "see how far the read models are", func() error { return r.readCheckpoint(ctx) })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// readCheckpoint reads the checkpoint of the current generation, to learn how far other processes have folded.
func (r *Reader) readCheckpoint(ctx context.Context) error {
	generation := r.at.current.Load().Generation
	checkpoint, err := r.at.loadCheckpoint(ctx, generation)
	if err != nil {
		return err
	}
	moved := checkpoint.position().Compare(r.Status().Position) > 0
	r.tell(report{generation: generation, position: checkpoint.position(), changed: moved,
		caughtUp: r.catchUp.reached(ctx, r, checkpoint.position())})
	return nil
}

// catchUp finds out in a process that does not project when the read models have come to where the log ended when this process
// first looked. It is used by one goroutine, the one of watch.
type catchUp struct {
	done  bool
	known bool                // the field end has been read from the log
	end   eventstore.Position // where the log ended at the first look
	from  eventstore.Position // the read models have every event that they fold, up to this position
	lacks eventstore.Position // first event that the read models lacked when the log was read last; zero: none was found
}

// reached reports whether the read models have folded every event up to c.end, where the log ended at the first look.
// position is how far they have come now. reached does not read the log while the read models still lack the event
// c.lacks, which an earlier call has found. Otherwise it passes over at most behindEvents events that no read model
// folds. While the log does not answer, reached returns false, and the next call asks again.
func (c *catchUp) reached(ctx context.Context, r *Reader, position eventstore.Position) bool {
	if c.done {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, behindTime)
	defer cancel()
	if !c.known {
		end, err := r.config.Log.Store().Head(ctx)
		if err != nil {
			return false
		}
		c.end, c.known = end, true
	}
	if position.Compare(c.from) > 0 {
		c.from = position
	}
	if c.from.Compare(c.end) < 0 {
		if c.from.Compare(c.lacks) < 0 {
			return false
		}
		next, err := r.nextConcern(ctx, c.from)
		if err != nil {
			return false
		}
		nothing := next.oldest == (eventstore.Position{})
		// Done: the log has no further event, or the first event that the read models lack came after c.end.
		c.done = nothing && next.scanned == c.from || next.oldest.Compare(c.end) > 0
		c.from, c.lacks = next.scanned, next.oldest
	}
	c.done = c.done || c.from.Compare(c.end) >= 0
	return c.done
}

// chores are the periodic tasks beside projecting. A failed task is retried later.
type chores struct {
	r           *Reader
	nextPointer time.Time
	nextSweep   time.Time
	nextSign    time.Time
	signed      int64 // the generation in the last heartbeat
	refused     int   // how often in a row this process did not switch, usually because the new generation was behind it
}

// patience is how many times a process refuses to switch to a new generation that is behind its own position. Then it switches
// all the same: the process that built that generation may have ended, and then nobody brings it up to date.
const patience = 5

func newChores(r *Reader) *chores {
	now := r.config.Now()
	return &chores{r: r, nextPointer: now.Add(pointerInterval), nextSweep: now.Add(sweepInterval)}
}

// do runs those periodic tasks that are due.
func (c *chores) do(ctx context.Context) {
	c.follow(ctx)
	if now := c.r.config.Now(); !now.Before(c.nextSweep) {
		c.nextSweep = now.Add(sweepInterval)
		select {
		case c.r.sweepDue <- now:
		default: // the previous sweep has not ended: this one is left out
		}
	}
}

// sweepWhenDue calls sweep in the background when it is due, until ctx ends. Events are projected at the same time.
func (r *Reader) sweepWhenDue(ctx context.Context) {
	for {
		select {
		case now := <-r.sweepDue:
			if err := r.sweep(ctx, now); err != nil && ctx.Err() == nil {
				r.config.Logger.WithError(err).Warn("tombstones, old rows of the boards or old read models " +
					"not removed; trying again later")
			}
		case <-ctx.Done():
			return
		}
	}
}

// follow reads, once each pointerInterval, which generation is current. It switches to that generation if the stored
// documents have the versions of fields that this program writes, and if the generation is not behind (see patience).
// It also reads which streams are no longer folded (see Unread), and writes the heartbeat when that is due.
func (c *chores) follow(ctx context.Context) {
	now := c.r.config.Now()
	if now.Before(c.nextPointer) {
		return
	}
	c.nextPointer = now.Add(pointerInterval)
	failed := "current generation of the read models not read; trying again"
	p, err := c.r.at.read(ctx)
	if err == nil && p != nil && p.Generation != c.r.at.current.Load().Generation && c.r.at.fits(p.Models) {
		var adopted bool
		adopted, err = c.r.adopt(ctx, p, c.refused >= patience)
		failed = "read models not switched to the current generation; trying again"
		c.refused++
		if adopted {
			c.refused = 0
		}
	}
	if err == nil {
		failed = "cannot read which streams the read models do not follow; trying again"
		err = c.r.lookForUnread(ctx)
	}
	if generation := c.r.at.current.Load().Generation; err == nil && (generation != c.signed || !now.Before(c.nextSign)) {
		failed = "heartbeat of this process not written; trying again"
		if err = c.r.sign(ctx, generation); err == nil {
			c.nextSign, c.signed = now.Add(signInterval), generation
		}
	}
	if err != nil && ctx.Err() == nil {
		c.r.config.Logger.WithError(err).Warn(failed)
	}
}

// sweep removes old tombstones, old rows of the trouble board, rows of the presence board whose worker ended long ago, and
// the collections of old generations.
func (r *Reader) sweep(ctx context.Context, now time.Time) error {
	for _, name := range append(r.at.collections(), presences.Name, troubles.Name, readers.Name, processes.Name) {
		for removed := sweepLimit; removed == sweepLimit; {
			var err error
			if removed, err = r.at.docs.Sweep(ctx, name, now.Add(-keepTombstones), sweepLimit); err != nil {
				return fmt.Errorf("sweep %s: %w", name, err)
			}
		}
	}
	if err := newTroubleBoard(r.at, r.config.Now).forget(ctx, now.Add(-keepTombstones)); err != nil {
		return err
	}
	board := newPresenceBoard(r.at.docs, r.config.Now)
	rows, err := board.List(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.At.Before(now.Add(-keepTombstones)) {
			if err := board.Remove(ctx, row.Work, row.Attempt); err != nil {
				return err
			}
		}
	}
	return r.dropRetired(ctx, now, keepRetired)
}

// DropFormer drops the collections of former generations, and returns when none is left. While other processes live, it
// waits at least keepErased after the switch, and until none of them may still read one of these collections. It
// returns an error when ctx ends, or when the document store fails.
func (r *Reader) DropFormer(ctx context.Context) error {
	for {
		left, err := r.former(ctx)
		if err == nil && !left {
			return nil
		}
		// after ErrStale the loop goes on: another process has changed the document that names the current generation,
		// so try again
		if err != nil && !errors.Is(err, ErrStale) {
			return fmt.Errorf("drop the former read models: %w", err)
		}
		if !sleep(ctx, pointerInterval) {
			return fmt.Errorf("drop the former read models: %w", ctx.Err())
		}
	}
}

// former drops the retired collections, if no process can be reading them, and reports whether there still are some.
func (r *Reader) former(ctx context.Context) (left bool, err error) {
	now := r.config.Now()
	others, err := r.alive(ctx, now)
	if err != nil {
		return true, err
	}
	kept := keepErased
	if len(others) == 0 {
		kept = 0 // no process is alive that could still read the old generation
	}
	if err := r.dropRetired(ctx, now, kept); err != nil {
		return true, err
	}
	p, err := r.at.read(ctx)
	return err == nil && p != nil && len(p.Retired) > 0, err
}

// dropRetired drops the retired collections, those that the current generation does not use, except for those that a
// live process may still read. It does nothing until the time kept has passed since the current generation was switched
// to.
func (r *Reader) dropRetired(ctx context.Context, now time.Time, kept time.Duration) error {
	p, err := r.at.read(ctx)
	if err != nil || p == nil || len(p.Retired) == 0 || now.Sub(p.SwitchedAt) < kept {
		return err
	}
	used, err := r.inUse(ctx, now)
	if err != nil {
		return err
	}
	var still []string
	for _, name := range p.Retired {
		if slices.ContainsFunc(used, func(g int64) bool { return generationOf(name) <= g && g != p.Generation }) {
			still = append(still, name)
		} else if err := r.at.docs.Drop(ctx, name); err != nil {
			return fmt.Errorf("drop %s: %w", name, err)
		}
	}
	if len(still) == len(p.Retired) {
		return nil
	}
	p.Retired = still
	if err := r.at.replace(ctx, p); err != nil {
		return err
	}
	return r.at.docs.Shrink(ctx)
}
