package projections

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
)

// Reader keeps the read models current: one catch-up subscription feeds all of them, in batches. Several processes may do that at
// the same time. Without Config.Project, it only follows how far other processes bring them. Its methods are safe for
// concurrent use.
type Reader struct {
	config Config
	at     *catalogue
	name   string // name of this process in the collection readers

	waits       waits // running calls of WaitFor
	lag         lag
	catchUp     catchUp        // used only without Config.Project: finds out when the read models have caught up
	sweepDue    chan time.Time // tells sweepWhenDue that a sweep of tombstones is due, with the present time
	unpublished bool           // this process reads a generation that is not current yet; used by begin, then by project only
	nextPublish time.Time

	mu       sync.Mutex
	position eventstore.Position // the documents include every event up to here
	moved    chan struct{}       // closed and replaced when position grows, or documents change
	movedAt  time.Time
	// considered may be higher than position: the events in between concern no read model.
	considered eventstore.Position
	wakes      []chan struct{}
	status     Status
}

// Status is the state of the Reader.
type Status struct {
	Position eventstore.Position // the read models include every event up to here
	// the read models have reached the end of the log once; without Config.Project: the end that the log had at the
	// start
	CaughtUp bool
	Err      error // the error that the Reader is retrying after; nil: none
}

func newReader(ctx context.Context, config Config, at *catalogue) (*Reader, error) {
	r := &Reader{config: config, at: at, name: uuid.NewString(), moved: make(chan struct{}), waits: newWaits(),
		sweepDue: make(chan time.Time, 1)}
	if err := at.docs.Declare(ctx, pointers, presences, troubles, checkpoints, readers, processes); err != nil {
		return nil, err
	}
	at.behind = r.behindOf
	if err := r.begin(ctx); err != nil {
		return r, err
	}
	if config.MaxLag > 0 {
		r.measureLag(ctx) // measured here, so that the lag is known before the first query
		r.measurePending(ctx)
	}
	return r, nil
}

// begin chooses the generation that this process reads:
//
//   - There is no generation yet: begin creates an empty one.
//   - This program can read the documents of the current generation: begin chooses that one.
//   - This program can read the documents of some read models only, because the others have another version of fields,
//     and takeBeside permits it: the process reads the former and keeps them current, while the others are built anew.
//     Until these are built, only their lists return a *BehindError.
//   - Otherwise begin chooses a generation for this program, which is built from the beginning of the log. Until some
//     process has built it, all lists return a *BehindError, which has the progress.
func (r *Reader) begin(ctx context.Context) error {
	p, err := r.at.update(ctx, func(p *Pointer) bool {
		if p.Generation > 0 {
			return false
		}
		p.Generation, p.Models = p.Next, r.at.generation(p.Next)
		p.Next++
		return true
	})
	if err != nil {
		return err
	}
	if !r.at.usable(p.Models) {
		if gone, err := r.goBeside(ctx, p); gone || err != nil {
			return err
		}
		building, err := r.takeBuilding(ctx, false)
		if err != nil {
			return err
		}
		r.config.Logger.WithField("generation", building.Generation).
			Info("the read models were built by another version of the program and are rebuilt for this one; lists are " +
				"unavailable until then")
		r.unpublished = r.config.Project
		p = &Pointer{Generation: building.Generation, Models: building.Models}
	}
	_, err = r.adopt(ctx, p, true)
	return err
}

// adopt makes this process read the generation that p names, unless that generation is behind the position that the
// process has read up to: clients must not lose sight of changes that they have waited for. force skips this check.
// adopt returns whether the process reads that generation now.
func (r *Reader) adopt(ctx context.Context, p *Pointer, force bool) (bool, error) {
	if err := r.at.declare(ctx, p.Generation, p.Models); err != nil {
		return false, err
	}
	checkpoint, err := r.at.loadCheckpoint(ctx, p.Generation)
	if err != nil {
		return false, err
	}
	unread, err := r.at.loadUnread(ctx, p.Generation)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !force && checkpoint.position().Compare(r.position) < 0 {
		return false, nil
	}
	r.at.current.Store(p)
	if pending := r.at.pending.Load(); pending != nil && pending.beside.Generation != p.Generation {
		r.at.pending.Store(nil)
	}
	r.at.standing.streams.Store(&unread)
	r.position, r.considered = checkpoint.position(), checkpoint.position()
	r.signal(true)
	return true, nil
}

// Status returns the state of the Reader.
func (r *Reader) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Position = r.position
	return s
}

// Generation reads the pointer to the current generation. It also names the generation that is being built, if any. nil:
// there is no pointer yet.
func (r *Reader) Generation(ctx context.Context) (*Pointer, error) { return r.at.read(ctx) }

// Changed returns a channel that gets a token after every commit that changed a document. The channel holds at most one token.
// Every call returns a channel of its own, which is never closed.
func (r *Reader) Changed() <-chan struct{} {
	wake := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wakes = append(r.wakes, wake)
	return wake
}

// WaitFor waits until the read models include every event up to a position, whichever process folds them. It returns the
// context's error when that ends first.
func (r *Reader) WaitFor(ctx context.Context, position eventstore.Position) error {
	if r.reached(position) {
		return nil
	}
	r.waits.begin()
	defer r.waits.end()
	for {
		r.mu.Lock()
		reached, moved := r.position.Compare(position) >= 0, r.moved
		r.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// place returns how far the read models are: they include every event up to position that they fold. It also returns
// their generation. quiet is true when more than gatherFor has passed since the position or a document last changed.
func (r *Reader) place() (position eventstore.Position, generation *Pointer, quiet bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if position = r.position; r.considered.Compare(position) > 0 {
		position = r.considered
	}
	return position, r.at.current.Load(), time.Since(r.movedAt) > gatherFor
}

// reached reports whether the read models include every event up to a position.
func (r *Reader) reached(position eventstore.Position) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.position.Compare(position) >= 0
}

// signal wakes those who wait for a position and, with changed, those who wait for changed documents. It also invalidates
// the cached documents. The caller holds mu.
func (r *Reader) signal(changed bool) {
	close(r.moved)
	r.moved = make(chan struct{})
	r.movedAt = time.Now()
	r.at.recent.changed()
	if !changed {
		return
	}
	for _, wake := range r.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// tell records a projector's report. A report on a generation that this process no longer reads is ignored.
func (r *Reader) tell(done report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done.generation != r.at.current.Load().Generation {
		return
	}
	r.status.Err = done.err
	if done.unread != nil {
		r.at.standing.streams.Store(&done.unread)
	}
	r.status.CaughtUp = r.status.CaughtUp || done.caughtUp
	moved := done.position.Compare(r.position) > 0
	if moved {
		r.position = done.position
	}
	if done.considered.Compare(r.considered) > 0 {
		r.considered = done.considered
	}
	if moved || done.changed {
		r.signal(done.changed)
	}
}

// Run brings the read models up to the end of the log and keeps them current until ctx ends; then it returns nil. Every event
// that is not committed by then will be read again. During outages of the log or of the document store it retries. It returns an
// error only when further folding would make documents wrong: ErrGap. Without Config.Project, it folds nothing and follows
// the progress of other processes.
func (r *Reader) Run(ctx context.Context) error {
	r.at.recent.running.Store(true)
	defer r.at.recent.running.Store(false)
	watching, stop := context.WithCancel(ctx)
	defer r.unsign(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { r.watchLag(watching) })
	defer watched.Wait()
	defer stop()
	if !r.config.Project {
		return r.watch(ctx)
	}
	watched.Go(func() { r.renew(watching) })
	watched.Go(func() { r.sweepWhenDue(watching) })
	for ctx.Err() == nil {
		if err := r.project(ctx); err != nil {
			return err
		}
	}
	return nil
}

// project folds the log into the generation that this process reads, until it reads another one or ctx ends.
func (r *Reader) project(ctx context.Context) error {
	current := r.at.current.Load()
	p := newProjector(r.config, r.at, current.Generation, current.Models, r.tell)
	p.waits = r.waits
	usable := false
	r.persist(ctx, "find the place in the log", func() error {
		p.lost = true
		if err := p.locate(ctx); err != nil {
			return err
		}
		var err error
		usable, err = p.checkpoint.standsIn(ctx, r.config.Log.Store())
		return err
	})
	if ctx.Err() != nil {
		return nil
	}
	if !usable {
		r.config.Logger.WithField("generation", current.Generation).
			Warn("the log lacks the last event of the read models: they are rebuilt from the beginning of the log")
		return r.startOver(ctx)
	}
	p.tell(true, nil)
	chores := newChores(r)
	return p.run(ctx, func(caughtUp bool) bool {
		r.publish(ctx, caughtUp)
		chores.do(ctx)
		return r.at.current.Load().Generation != current.Generation
	})
}

// startOver makes an empty generation current: the documents of the previous one come from another log.
func (r *Reader) startOver(ctx context.Context) error {
	r.persist(ctx, "start the read models over", func() error {
		number, err := r.at.takeNumber(ctx)
		if err != nil {
			return err
		}
		p, err := r.at.switchTo(ctx, number, r.at.generation(number), 0, r.config.Now())
		if err != nil {
			return err
		}
		_, err = r.adopt(ctx, p, true) // force is true: the position read so far belongs to another log
		if err == nil && r.config.MaxLag > 0 {
			r.measureLag(ctx) // measured at once, so that lists of the empty read models are refused
		}
		return err
	})
	return nil
}

// persist retries a step until it succeeds or ctx ends. The text what describes the step in log messages.
func (r *Reader) persist(ctx context.Context, what string, step func() error) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		err := step()
		if err == nil {
			return
		}
		r.config.Logger.WithError(err).Warnf("read models: cannot %s; trying again", what)
		r.mu.Lock()
		r.status.Err = err
		r.mu.Unlock()
		sleep(ctx, pause/2+rand.N(pause/2))
	}
}
