package projections

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"moviola/domain/account"
	"moviola/domain/batch"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/operator"
	"moviola/domain/preload"
	"moviola/domain/template"
	"moviola/eventstore"
)

// categories are the categories of streams that the read models fold. When this program does not know the type of an
// event in them, it folds the event's stream no further: see Unread.
var categories = []string{
	movie.StreamCategory, ledger.StreamCategory, account.StreamCategory, key.StreamCategory, operator.StreamCategory,
	media.StreamCategory, preload.StreamCategory, connection.StreamCategory, template.StreamCategory, batch.StreamCategory,
}

// concerns reports whether a stream belongs to a category that the read models fold.
func concerns(stream string) bool {
	category, _ := eventstore.SplitStream(stream)
	return slices.Contains(categories, category)
}

const (
	// commitTimeout is the time limit for loading, folding and writing a batch. So a process that was suspended in
	// between does not write documents that it loaded long ago. While the projector has not reached the end of the log
	// yet, it writes a batch while it folds the next one. Then loading and folding have this limit together, and
	// writing has the same limit again.
	commitTimeout = 30 * time.Second
	// The pauses between retries of a commit or of a step of Reader.persist: doubled from firstPause up to lastPause. Each
	// is shortened at random by up to half.
	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
)

// projector folds the log into one generation of the read models. It is used by one goroutine, the one of run, which
// starts others. For each batch of events, run makes these steps:
//
//  1. eventstore.Follow, in a goroutine of its own, reads the log and sends its events as notices.
//  2. nextBatch collects the events of a batch. It ends the batch early when a caller waits for the read models.
//  3. step commits the batch, in one of two ways.
//
// At the end of the log, commit calls try, which in turn calls
//
//   - locate, to load the checkpoint if it may have changed;
//   - prepare, to fold the batch;
//   - write, to commit the documents and the checkpoint;
//   - committed, to note that the batch is committed.
//
// After an error other than ErrGap, commit pauses and calls try again. Before that, it sets lost, so that locate loads
// the checkpoint again.
//
// Before the end of the log is reached, commitBehind folds a batch while another goroutine still writes the batch
// before it, which is in the field flying. Then settle waits for that goroutine. If writing has failed, settle commits
// the batch before by commit. Unless something has failed, commitBehind then starts a goroutine that writes the folded
// batch, and run collects the next one.
//
// What keeps documents right:
//
//   - The checkpoint is written in the same commit as the documents, and only if it still has the version at which it
//     was loaded. So of two processes that fold the same events, at most one commits them. The other gets ErrStale,
//     loads the checkpoint and finds which events are committed.
//   - commitBehind folds a batch from documents that the commit of the batch before may still be writing. If that
//     commit fails, the batch is folded again, from the stored documents.
//   - The field considered, the position up to which every event was folded and committed or skipped, advances only
//     when the batch that was read up to it is committed or empty. The field ahead is the value that considered will
//     have after the batch being collected.
//   - ErrGap ends the projector: an event is missing, and folding on would make documents wrong.
type projector struct {
	config     Config
	at         *catalogue
	models     []model // the read models to fold
	generation int64
	places     map[string]Place
	checkpoint Checkpoint
	unread     map[string]Unread // streams that are no longer folded, by name: see Unread
	lost       bool              // the fields checkpoint and unread have to be loaded again
	caughtUp   bool
	ends       bool                  // run returns at eventstore.ErrIncomplete; false: run reports that error and goes on
	broken     atomic.Pointer[error] // why the log cannot be read now: an eventstore.ErrIncomplete; nil: it can be read
	batching   batching
	considered eventstore.Position // every event up to here was folded and committed, or skipped
	ahead      eventstore.Position // value of considered after the commit of the current batch
	waits      waits
	thread     Thread       // folds and commits; set while run runs
	crew       *crew        // decodes and folds large batches; set while run runs
	flying     *prepared    // the batch that is being committed while the next one is folded; nil: none
	report     func(report) // called after every batch and commit, and after failed tries other than ErrStale and errNewer
}

// report describes the progress of a projector.
type report struct {
	generation int64
	position   eventstore.Position
	considered eventstore.Position // may be higher than the committed position: the events in between concern no read model
	changed    bool
	caughtUp   bool
	unread     map[string]Unread // streams that are no longer folded, by name: see Unread; never modified
	err        error             // why the last commit failed, which is retried, or why the log cannot be read; nil: neither
}

func newProjector(config Config, at *catalogue, generation int64, places map[string]Place, tell func(report)) *projector {
	return &projector{config: config, at: at, models: at.kept(generation), generation: generation, places: places, lost: true,
		report: tell}
}

// run folds the log from the checkpoint on, which locate has loaded. It returns nil when ctx ends, or when stop returns
// true. It returns an error at ErrGap and, when ends is set, at eventstore.ErrIncomplete. It calls stop after every
// batch, also after an empty one: every few seconds at least, unless folding or committing a batch takes longer.
func (p *projector) run(ctx context.Context, stop func(caughtUp bool) bool) error {
	notices := make(chan eventstore.Notice, p.config.BehindEvents)
	following, cancel := context.WithCancel(ctx)
	from, ended := p.checkpoint.position(), make(chan struct{})
	go func() {
		defer close(ended)
		// Follow ends only when its context ends, with the error of that context.
		_ = eventstore.Follow(following, p.config.Log.Store(), from, eventstore.Filter{Categories: categories},
			func(n eventstore.Notice) error {
				p.broken.Store(nil)
				select {
				case notices <- n:
					return nil
				case <-following.Done():
					return following.Err()
				}
			}, eventstore.OnDrop(func(err error) {
				if errors.Is(err, eventstore.ErrIncomplete) {
					p.broken.Store(&err)
				}
				p.config.Logger.WithError(err).Warn("subscription to the log ended; it is opened again, and the read " +
					"models do not advance until then")
			}))
	}()
	defer func() { cancel(); <-ended }()
	p.thread = p.config.Thread()
	defer p.thread.Close()
	p.crew = newCrew(p.config.Thread)
	defer p.crew.close()
	for ctx.Err() == nil {
		if err := p.step(ctx, p.nextBatch(ctx, notices)); err != nil {
			_, _ = p.settle(ctx) // err is the reason why this projector ends; an error of settle adds nothing
			return err
		}
		broken := p.unreadable()
		if broken != nil && p.ends {
			_, _ = p.settle(ctx) // broken is the reason why this projector ends; an error of settle adds nothing
			return broken
		}
		p.tell(false, broken)
		if stop(p.caughtUp) {
			break
		}
	}
	_, err := p.settle(ctx)
	return err
}

// unreadable returns why the log cannot be read on; nil: it can be.
func (p *projector) unreadable() error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// step commits a batch. Before the end of the log is reached, it does not wait for the commit.
func (p *projector) step(ctx context.Context, events []eventstore.Recorded) error {
	if len(events) > 0 && !p.caughtUp {
		return p.commitBehind(ctx, events)
	}
	if _, err := p.settle(ctx); err != nil {
		return err
	}
	if err := p.commit(ctx, events); err != nil {
		return err
	}
	if ctx.Err() == nil {
		p.considered = p.ahead
	}
	return nil
}

func (p *projector) tell(changed bool, err error) {
	p.report(report{
		generation: p.generation, position: p.checkpoint.position(), considered: p.considered, changed: changed, caughtUp: p.caughtUp,
		unread: p.unread, err: err,
	})
}

// nextBatch collects the events of the next batch by the rules of batching. It returns none when no event comes for a
// second, when a checkpoint or the end of the log comes first, and when ctx ends.
func (p *projector) nextBatch(ctx context.Context, notices <-chan eventstore.Notice) []eventstore.Recorded {
	var events []eventstore.Recorded
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for len(events) < p.mostEvents() {
		if len(events) > 0 && len(notices) == 0 && p.mayCommit() {
			return events
		}
		select {
		case n := <-notices:
			if n.Event != nil {
				events = append(events, *n.Event)
			}
			if p.heard(n, len(events)) {
				return events
			}
			if len(events) == 1 {
				timer.Reset(p.gatherTime())
			}
		case <-timer.C:
			return events
		case <-p.waits.begun: // somebody waits now: check mayCommit again
		case <-ctx.Done():
			return nil
		}
	}
	return events
}

// mostEvents returns the maximum number of events in a batch.
func (p *projector) mostEvents() int {
	if p.caughtUp {
		return p.config.BatchEvents
	}
	return p.config.BehindEvents
}

// gatherTime returns how long a batch waits for more events after its first one.
func (p *projector) gatherTime() time.Duration {
	if p.caughtUp {
		return gatherFor
	}
	return gatherBehind
}

// mayCommit reports whether a batch at the end of the log may be committed without waiting for more events.
func (p *projector) mayCommit() bool {
	return p.caughtUp && (!p.batching.mustWait(time.Now()) || p.waits.any())
}

// heard records how far the log was read, and reports whether a batch with the given number of events ends with this notice.
func (p *projector) heard(n eventstore.Notice, events int) (ends bool) {
	switch {
	case n.Event != nil:
		p.ahead = n.Event.Position
	case n.Checkpoint != nil:
		p.ahead = *n.Checkpoint
		return events == 0
	case n.CaughtUp:
		p.caughtUp = true
		return true
	case n.FellBehind:
		p.caughtUp = false
	}
	return false
}

// commit folds a batch into the documents, with retries. It returns nil when the batch is committed or when ctx ends (its events
// will be read again), and an error when further folding would make documents wrong.
func (p *projector) commit(ctx context.Context, events []eventstore.Recorded) error {
	if len(events) == 0 {
		return nil
	}
	pause, newer, waits := firstPause, 0, false // newer: how many tries have found an event of a newer version
	for {
		var changed bool
		var err error
		p.thread.Do(func() { changed, err = p.try(ctx, events, newer < newerTries-1) })
		if err == nil {
			p.batching.committed(time.Now())
			p.tell(changed, nil)
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrGap) {
			return fmt.Errorf("project generation %d: %w", p.generation, err)
		}
		p.lost = true
		waited := waits
		switch waits = errors.Is(err, errNewer); { // errNewer and ErrStale are normal beside other processes that project
		case waits:
			newer++
			if !waited {
				pause = firstPause
			}
		case !errors.Is(err, ErrStale):
			p.config.Logger.WithError(err).Warn("read models not updated; trying again")
			p.tell(false, err)
		}
		if !sleep(ctx, pause/2+rand.N(pause/2)) {
			return nil
		}
		pause = min(2*pause, lastPause)
	}
}

// try folds those events of a batch that the documents lack, and writes the documents. It returns true when documents
// have changed, or when another process has committed the batch. With patient, it fails at an event younger than
// newerAge that this program cannot read, so that a process of a newer version of the program can project that event.
func (p *projector) try(ctx context.Context, recorded []eventstore.Recorded, patient bool) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	if err := p.locate(ctx); err != nil {
		return false, err
	}
	last := recorded[len(recorded)-1]
	if last.Position.Compare(p.checkpoint.position()) <= 0 {
		return true, nil // another process has committed this batch
	}
	b, _, err := p.prepare(ctx, recorded, p.checkpoint, p.unread, patient, nil)
	if err != nil {
		return false, err
	}
	if err := p.write(ctx, b); err != nil {
		return false, err
	}
	p.committed(b)
	return len(b.writes) > 0, nil
}

// locate loads the fields checkpoint and unread again, if other processes may have changed what is stored of them.
func (p *projector) locate(ctx context.Context) error {
	if !p.lost {
		return nil
	}
	checkpoint, err := p.at.loadCheckpoint(ctx, p.generation)
	if err != nil {
		return err
	}
	unread, err := p.at.loadUnread(ctx, p.generation)
	if err != nil {
		return err
	}
	p.checkpoint, p.unread, p.lost = checkpoint, unread, false
	return nil
}

// sleep pauses, and returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
