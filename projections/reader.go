package projections

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
)

// Reader keeps the read models up to the log: one catch-up subscription feeds them all, in batches. Several processes may do
// it at once. Its methods are safe for concurrent use.
type Reader struct {
	config Config
	at     *catalogue
	name   string // of this process among those that read

	waits       waits // calls of WaitFor
	lag         lag
	unpublished bool // the generation being read is not current yet; it belongs to begin, then to project
	nextPublish time.Time

	mu       sync.Mutex
	position eventstore.Position // everything up to here is in the documents
	moved    chan struct{}       // closed and replaced whenever position moves
	movedAt  time.Time
	// considered may be further than position: what lies between concerns no read model.
	considered eventstore.Position
	wakes      []chan struct{}
	status     Status
}

// Status says how the Reader is doing.
type Status struct {
	Position eventstore.Position // everything up to here is in the read models
	CaughtUp bool                // the end of the log has been reached since the Reader began
	Err      error               // what it is waiting to get over; nil when it is well
}

func newReader(ctx context.Context, config Config, at *catalogue) (*Reader, error) {
	r := &Reader{config: config, at: at, name: uuid.NewString(), moved: make(chan struct{}), waits: newWaits()}
	if err := at.docs.Declare(ctx, pointers, presences, troubles, checkpoints, readers); err != nil {
		return nil, err
	}
	at.behind = r.behindOf
	if err := r.begin(ctx); err != nil {
		return r, err
	}
	if config.MaxLag > 0 {
		r.measureLag(ctx) // before the first question
		r.measurePending(ctx)
	}
	return r, nil
}

// begin finds the generation to read. Where there is none, an empty one is made. Where it has shapes that this program cannot read, its own
// generation is read from the beginning: until a process has built that, lists are errors that say how far it is (*BehindError). Where it can read
// some of them, these go on being read and kept up to the log, and only lists of the others are errors.
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
			Info("the read models have shapes of another version of the program: others are built, and lists wait for them")
		r.unpublished = r.config.Project
		p = &Pointer{Generation: building.Generation, Models: building.Models}
	}
	_, err = r.adopt(ctx, p, true)
	return err
}

// adopt makes this process read where the pointer says, if that is not behind what has been read so far: nobody shall miss
// what he has waited for. Even then, if it is forced to. It returns whether it has.
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

// Status returns how the Reader is doing.
func (r *Reader) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Position = r.position
	return s
}

// Changed returns a channel that holds a token after every commit that changed a document, until it is taken: two commits
// make one token. Every call returns a channel of its own; it is never closed.
func (r *Reader) Changed() <-chan struct{} {
	wake := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wakes = append(r.wakes, wake)
	return wake
}

// WaitFor waits until everything up to a position is in the read models, whichever process puts it there. It returns the
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

// place returns where the read models are, of which generation, and whether they have stood there for a while.
func (r *Reader) place() (position eventstore.Position, generation *Pointer, quiet bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if position = r.position; r.considered.Compare(position) > 0 {
		position = r.considered
	}
	return position, r.at.current.Load(), time.Since(r.movedAt) > gatherFor
}

// reached tells whether everything up to a position is in the read models.
func (r *Reader) reached(position eventstore.Position) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.position.Compare(position) >= 0
}

// signal wakes who waits for a position, and for documents to change. The caller holds mu.
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

// tell takes a report in. What is done to a generation that nobody reads here any more does not count.
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

// Run brings the read models up to the log and keeps them there, until ctx ends: then it returns nil, with everything that
// was read committed or left to be read again. Outages of the log and of the document store are waited out. It returns an
// error only when going on would make documents wrong: ErrGap.
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
	for ctx.Err() == nil {
		if err := r.project(ctx); err != nil {
			return err
		}
	}
	return nil
}

// project keeps the current generation up to the log, until another becomes current or ctx ends.
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
			Warn("the log does not have the event that the read models stand on: they are built again from its beginning")
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

// startOver makes an empty generation current: the documents of the one before tell of another log.
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
		_, err = r.adopt(ctx, p, true) // the position read so far is one of the other log
		if err == nil && r.config.MaxLag > 0 {
			r.measureLag(ctx) // before lists are empty for long
		}
		return err
	})
	return nil
}

// persist repeats a step until it succeeds or ctx ends.
func (r *Reader) persist(ctx context.Context, what string, step func() error) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		err := step()
		if err == nil {
			return
		}
		r.config.Logger.WithError(err).Warnf("cannot %s; trying again", what)
		r.mu.Lock()
		r.status.Err = err
		r.mu.Unlock()
		sleep(ctx, pause/2+rand.N(pause/2))
	}
}
