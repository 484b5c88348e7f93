package projections

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"moviola/eventstore"
)

const (
	// behindInterval is how often a Reader measures the lag of the read models.
	behindInterval = time.Second
	// behindTime is the time limit of one measurement, and of other small queries and writes of the document store.
	behindTime = 3 * time.Second
	// behindEvents is the maximum of events that one measurement skips because no read model folds them.
	behindEvents = 10_000
)

// BehindError says that lists cannot be answered: the read models lack, or may lack, an event that is older than
// Config.MaxLag, so a list might omit changes that were acknowledged long ago. Decision 59.
type BehindError struct {
	Models   []string      // read models that are being built while all others are current; empty: all read models lag
	Lag      time.Duration // age of the oldest event that the read models lack; 0: unknown
	Progress float64       // percentage of the log that the read models have folded, 0 to 100
	Left     time.Duration // estimated time until the read models have caught up; 0: unknown
}

func (e *BehindError) Error() string {
	which := "the read models"
	if len(e.Models) > 0 {
		which += " " + strings.Join(e.Models, ", ")
	}
	message := fmt.Sprintf("%s are behind the log: %.0f %% of it is in them", which, e.Progress)
	if e.Lag > 0 {
		message += fmt.Sprintf(", and what is missing is %s old", e.Lag.Round(time.Second))
	}
	if e.Left > 0 {
		message += fmt.Sprintf("; they will have caught up in about %s", e.Left)
	}
	return message
}

// lag is what a Reader knows about events that the read models lack. It is safe for concurrent use.
type lag struct {
	mu         sync.Mutex
	generation int64               // generation of the read models that were measured
	scanned    eventstore.Position // the read models include every event up to here that they fold
	oldest     eventstore.Position // position of the oldest event that the read models lack; zero: they lack none
	created    time.Time           // when the event at oldest was created
	// At the last measurement, the event at oldest was older than MaxLag. Events after it, up to head, may be older
	// than MaxLag too.
	old  bool
	head eventstore.Position // end of the log at the last measurement
	pace pace                // how fast the read models catch up, measured since they were found to lag
}

// Behind returns a *BehindError when lists might omit changes that were acknowledged longer than MaxLag ago, and nil
// otherwise. As long as the lag has not been measured, it returns nil. But when some read models are being built while
// the others are current, it returns the error until the progress of the building has been measured. Without MaxLag it
// always returns nil.
func (r *Reader) Behind() error { return r.behindWith(true) }

// behindOf returns a *BehindError when lists of the given read model might omit changes that were acknowledged longer
// than MaxLag ago, and nil otherwise.
func (r *Reader) behindOf(model string) error { return r.behindWith(r.at.isPending(model)) }

// behindWith returns a *BehindError when lists might omit changes that were acknowledged longer than MaxLag ago, and
// nil otherwise. With pending false, it ignores the read models that are being built while the others are current.
func (r *Reader) behindWith(pending bool) error {
	if r.config.MaxLag <= 0 {
		return nil
	}
	if err := r.keptBehind(); err != nil || !pending {
		return err
	}
	return r.pendingBehind()
}

// keptBehind returns a *BehindError while the read models that this process keeps current lack an event older than MaxLag.
func (r *Reader) keptBehind() error {
	r.lag.mu.Lock()
	defer r.lag.mu.Unlock()
	position, _, _ := r.place()
	if position.Compare(r.lag.oldest) >= 0 && (!r.lag.old || position.Compare(r.lag.head) >= 0) {
		return nil
	}
	if !r.tooOld(r.lag.created) {
		return nil
	}
	now := r.config.Now()
	return &BehindError{
		Lag: now.Sub(r.lag.created), Progress: share100(position, r.lag.head), Left: r.lag.pace.left(now, position, r.lag.head),
	}
}

// watchLag measures the lag at intervals, until ctx ends.
func (r *Reader) watchLag(ctx context.Context) {
	if r.config.MaxLag <= 0 {
		return
	}
	next := r.config.Now()
	for sleep(ctx, behindInterval) {
		r.measureLag(ctx)
		r.measurePending(ctx)
		if err := r.Behind(); err != nil && !r.config.Now().Before(next) {
			next = r.config.Now().Add(progressInterval)
			r.config.Logger.Info(err.Error())
		}
	}
}

// measureLag finds the oldest event that the read models lack. When the log is unavailable, the previous result stays.
func (r *Reader) measureLag(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, behindTime)
	defer cancel()
	place, current, _ := r.place()
	r.lag.mu.Lock()
	from, oldest, same := r.lag.scanned, r.lag.oldest, r.lag.generation == current.Generation
	r.lag.mu.Unlock()
	head, err := r.config.Log.Store().Head(ctx)
	if err != nil {
		return
	}
	if same && place.Compare(oldest) < 0 { // the read models still lack the event that the previous measurement found
		r.lag.mu.Lock()
		defer r.lag.mu.Unlock()
		r.lag.head, r.lag.old = head, r.tooOld(r.lag.created)
		r.lag.keepPace(r.config.Now(), place)
		return
	}
	if !same || from.Compare(place) < 0 {
		from = place
	}
	next, err := r.nextConcern(ctx, from)
	if err != nil {
		return
	}
	r.lag.mu.Lock()
	defer r.lag.mu.Unlock()
	r.lag.generation = current.Generation
	r.lag.scanned, r.lag.oldest, r.lag.created, r.lag.head = next.scanned, next.oldest, next.created, head
	r.lag.old = next.oldest != (eventstore.Position{}) && r.tooOld(next.created)
	r.lag.keepPace(r.config.Now(), place)
}

// keepPace starts to measure how fast the read models catch up when they lag. The caller holds mu.
func (l *lag) keepPace(now time.Time, place eventstore.Position) {
	if !l.old {
		l.pace = pace{}
		return
	}
	l.pace.begin(now, place)
}

// tooOld reports whether an event is so old that lists must not lack it.
func (r *Reader) tooOld(created time.Time) bool { return r.config.Now().Sub(created) > r.config.MaxLag }

// nextConcern reads the log after the position from, to find the first event of a category that the read models fold.
// It passes over at most behindEvents other events. In the result, oldest and created are position and time of the
// event found; a zero oldest means that none was found. scanned is the position of the last event that was passed over,
// or the parameter from.
func (r *Reader) nextConcern(ctx context.Context, from eventstore.Position) (*lag, error) {
	found := &lag{scanned: from}
	passed := 0
	for event, err := range r.config.Log.Store().ReadAll(ctx, eventstore.Forwards, from) {
		if err != nil {
			return nil, err
		}
		if concerns(event.Stream) {
			found.oldest, found.created = event.Position, event.Created
			return found, nil
		}
		found.scanned = event.Position
		if passed++; passed >= behindEvents {
			break
		}
	}
	return found, nil
}

// Ping makes a small query to the document store. An error means that the store does not answer.
func (r *Reader) Ping(ctx context.Context) error {
	_, err := r.at.read(ctx)
	return err
}
