// Package workqueue hands out the work list as Watermill messages. A topic is a kind of work, a message is one projections.Task.
//
// Nothing is queued here: what is left to do stands in the read model, and every message can be lost or repeated. A message is
// emitted only when one of its kind's slots is free, so that this is the one place where concurrency is bounded (the router
// starts a goroutine per message). Accounts take turns; the backlog is never scanned. Claims of other workers are watched, and
// handed out again when they are dead. What is to be done about a task is decided elsewhere.
package workqueue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/projections"
)

var _ message.Subscriber = (*Queue)(nil)

// Work is the work list.
type Work interface {
	// Candidates returns ready items of a kind that are due at now: up to perAccount of each account, the oldest first.
	Candidates(ctx context.Context, kind string, now time.Time, perAccount int) ([]projections.WorkItem, error)
	// Claimed returns the items of a kind that a worker has.
	Claimed(ctx context.Context, kind string) ([]projections.WorkItem, error)
	// NextDue returns the earliest due time of a kind's ready items, and false when there is none.
	NextDue(ctx context.Context, kind string) (time.Time, bool, error)
}

// Presence is the board on which workers show that they live.
type Presence interface {
	// List returns the row of every claim that has one.
	List(ctx context.Context) ([]projections.Presence, error)
}

// Config is what a Queue needs. Work, Presence and Slots are required.
type Config struct {
	Work     Work
	Presence Presence
	// Slots says how many messages of a kind may be in work at once. A kind without slots cannot be subscribed to.
	Slots map[string]int
	// Later are accounts whose work comes after that of all others, one task of a kind at a time: what the service does for itself. The
	// context of a render among it ends, with commands.ErrGiveWay as its cause, when others wait and no slot is free; it is handed out again
	// when nobody waits any more. That ends five minutes after its first claim: it takes turns then.
	Later []string
	// PerAccount says how many messages of a kind one account may have in work at once, so that one whose work takes long leaves
	// places for others. A kind without one has no such bound.
	PerAccount map[string]int
	// Wake makes the queue look for work at once; without it, it looks once a second and at due times.
	Wake <-chan struct{}
	// DeadAfter is how long a claim may show no sign of life. Default: 20 s.
	DeadAfter time.Duration
	// Fate says what is known of a worker's process. Without it, silence alone tells that a claim is dead.
	Fate func(worker string) Fate
	// Apart are the kinds of which a suspect task is handed out only when nothing else of them is in work here, and nothing else before it
	// has ended. Decision 56.
	Apart []string
	// Closed says whether no new work of a kind is to be handed out now; what is in work goes on. Nil: never.
	Closed func(kind string) bool
	// LongestRest bounds how long work that fails again and again rests before it is handed out again. Default: 1 min.
	LongestRest time.Duration
	// Now is the clock that due times are compared with. Default: time.Now. Its readings must be monotonic.
	Now func() time.Time
	Log logrus.FieldLogger // default: nothing is logged
}

// Fate is what is known of a worker's process.
type Fate struct {
	Ended bool         // its claims are dead
	Death domain.Death // how it failed, if it did
}

func (c Config) withDefaults() Config {
	if c.DeadAfter == 0 {
		c.DeadAfter = 20 * time.Second
	}
	if c.LongestRest == 0 {
		c.LongestRest = time.Minute
	}
	if c.Closed == nil {
		c.Closed = func(string) bool { return false }
	}
	if c.Fate == nil {
		c.Fate = func(string) Fate { return Fate{} }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = discard()
	}
	return c
}

func (c Config) validate() error {
	var problems []error
	if c.Work == nil {
		problems = append(problems, errors.New("no work list"))
	}
	if c.Presence == nil {
		problems = append(problems, errors.New("no presence board"))
	}
	for kind, slots := range c.Slots {
		if slots < 1 {
			problems = append(problems, fmt.Errorf("%d slots for %s", slots, kind))
		}
	}
	return errors.Join(problems...)
}

// Queue is the subscriber. It is safe for concurrent use.
type Queue struct {
	config Config
	room   *room

	mu     sync.Mutex
	closed bool
	inWork int                      // messages handed out and not answered
	wakes  map[string]chan struct{} // of the live subscriptions, by topic

	stopped  chan struct{}  // closed: nothing more is handed out
	idle     chan struct{}  // closed: and nothing is in work
	closing  chan struct{}  // closed: subscriptions end when their slots are free
	finished sync.WaitGroup // the goroutines
}

// New returns a Queue, or everything that is wrong with its configuration. Close ends it.
func New(config Config) (*Queue, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("work queue: %w", err)
	}
	q := &Queue{
		config:  config.withDefaults(),
		room:    newRoom(),
		wakes:   make(map[string]chan struct{}),
		stopped: make(chan struct{}),
		idle:    make(chan struct{}),
		closing: make(chan struct{}),
	}
	q.finished.Go(q.fanOut)
	return q, nil
}

// Subscribe starts handing out the work of one kind. A kind can be subscribed to once at a time. The channel is closed when ctx
// ends or the queue is closed, and the slots are free again.
func (q *Queue) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	slots := q.config.Slots[topic]
	if slots < 1 {
		return nil, fmt.Errorf("work queue: no slots for %s", topic)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, errors.New("work queue: closed")
	}
	if q.wakes[topic] != nil {
		return nil, fmt.Errorf("work queue: %s is subscribed to already", topic)
	}
	wake := make(chan struct{}, 1)
	q.wakes[topic] = wake
	s := newSubscription(q, topic, slots, wake)
	q.finished.Go(func() {
		defer q.forget(topic)
		s.run(ctx)
	})
	return s.out, nil
}

func (q *Queue) forget(topic string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.wakes, topic)
}

// fanOut passes every wake-up on to all kinds. A kind that has not looked since the last one needs no second.
func (q *Queue) fanOut() {
	for {
		select {
		case <-q.stopped:
			return
		case _, ok := <-q.config.Wake:
			if !ok {
				return
			}
			q.wakeAll()
		}
	}
}

func (q *Queue) wakeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, wake := range q.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// Stop ends the handing out of work at once, and waits until nothing is in work any more, or returns ctx's error. It may be
// called more than once.
func (q *Queue) Stop(ctx context.Context) error {
	q.halt()
	select {
	case <-q.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the work at hand: %w", ctx.Err())
	}
}

func (q *Queue) halt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.halted() {
		return
	}
	close(q.stopped)
	if q.inWork == 0 {
		close(q.idle)
	}
}

func (q *Queue) halted() bool {
	select {
	case <-q.stopped:
		return true
	default:
		return false
	}
}

// begin counts a message that is about to be handed out, and returns false when none may be any more.
func (q *Queue) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.halted() {
		return false
	}
	q.inWork++
	return true
}

// end counts a message off that was answered, or not handed out after all.
func (q *Queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inWork--
	if q.inWork == 0 && q.halted() {
		close(q.idle)
	}
}

// Close stops handing out work, waits until every slot is free and closes the subscriptions. It may be called more than once.
func (q *Queue) Close() error {
	q.halt()
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
	q.mu.Unlock()
	q.finished.Wait()
	return nil
}
