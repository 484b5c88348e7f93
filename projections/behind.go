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
	// behindInterval is how often a Reader looks what of the log is not yet in the read models.
	behindInterval = time.Second
	// behindTime bounds such a look.
	behindTime = 3 * time.Second
	// behindEvents is how many events of no concern one look passes over at most.
	behindEvents = 10_000
)

// BehindError says that lists cannot be answered: the oldest event that is not in the read models is older than Config.MaxLag, so that what
// was acknowledged long ago would be missing. Decision 59.
type BehindError struct {
	Models   []string      // the read models that are being built while others go on; none: all are behind
	Lag      time.Duration // age of that event; 0: it is not known
	Progress float64       // how far of the log is in the read models, 0 to 100
	Left     time.Duration // until they have caught up, as it seems; 0: nothing can be said
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

// lag is what a Reader knows of the log beyond the read models. It is safe for concurrent use.
type lag struct {
	mu         sync.Mutex
	generation int64               // of the read models that the rest is about
	scanned    eventstore.Position // up to here nothing beyond the read models concerns them, unless it is in oldest
	oldest     eventstore.Position // of the first event that does; zero: there is none
	created    time.Time           // of that event
	old        bool                // it was too old when last looked at: what follows it may be so too
	head       eventstore.Position // of the log, when last looked at
	pace       pace                // since the read models were found behind
}

// Behind returns a *BehindError when lists would lack what was acknowledged long ago, and nil otherwise. What is not known counts for nothing.
func (r *Reader) Behind() error { return r.behindWith(true) }

// behindOf is Behind of the lists of one read model.
func (r *Reader) behindOf(model string) error { return r.behindWith(r.at.isPending(model)) }

// behindWith is Behind with or without the read models that are being built while the others go on.
func (r *Reader) behindWith(pending bool) error {
	if r.config.MaxLag <= 0 {
		return nil
	}
	if err := r.keptBehind(); err != nil || !pending {
		return err
	}
	return r.pendingBehind()
}

// keptBehind is a *BehindError while the read models that are kept up to the log lack something.
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

// watchLag looks at the log beyond the read models, now and then, until ctx ends.
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

// measureLag finds the oldest event that is not in the read models. When the log is away, what was known before still counts.
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
	if same && place.Compare(oldest) < 0 { // it is still missing
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

// keepPace begins to measure how fast the read models catch up when they are found behind. The caller holds mu.
func (l *lag) keepPace(now time.Time, place eventstore.Position) {
	if !l.old {
		l.pace = pace{}
		return
	}
	l.pace.begin(now, place)
}

// tooOld tells whether lists may not lack an event any more.
func (r *Reader) tooOld(created time.Time) bool { return r.config.Now().Sub(created) > r.config.MaxLag }

// nextConcern passes over the events after a position that concern no read model, up to the first that does.
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

// Ping asks the document store for something small: an error says that it does not answer.
func (r *Reader) Ping(ctx context.Context) error {
	_, err := r.at.read(ctx)
	return err
}
