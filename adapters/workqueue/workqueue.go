// Package workqueue is a Watermill subscriber that reads the work list. A topic is a kind of work, a message is one
// projections.Task.
//
// The queue stores nothing: open work is in the read model, and a message may be lost or delivered twice. A message is
// sent only when its kind has a free slot. The Watermill router starts a goroutine for each message, so it is the queue
// that bounds how many tasks run at a time.
//
// Each kind has one subscription, a goroutine that repeats these steps:
//
//	poll ──► claims.dead            claims of workers without a heartbeat: their tasks are handed out again
//	     ──► Work.Candidates        ready items, at most a few of each account: the backlog is never scanned
//	     ──► backoff.ready          drops what has just failed here, and what the read model has not caught up with
//	     ──► a slot is free?  yes ► rotation.pick   which accounts come next ──► exclusive.admit ──► message
//	                          no  ► preemptFor      stops a running task when another account deserves its slot
//	ended ──► backoff.record, exclusive.release
//
// A handler acknowledges a message when its work has ended normally: it has a result, even a bad one, or its claim was
// released or lost, for example. A message that a handler rejects (Nack) has failed, and its item backs off. The handlers
// decide what is done about a task.
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
	// Candidates returns ready items of a kind that are due at the time now: at most perAccount items of each account, the
	// oldest first.
	Candidates(ctx context.Context, kind string, now time.Time, perAccount int) ([]projections.WorkItem, error)
	// Claimed returns the items of a kind that a worker has claimed.
	Claimed(ctx context.Context, kind string) ([]projections.WorkItem, error)
	// NextDue returns the earliest due time of a kind's ready items, and false when there is none.
	NextDue(ctx context.Context, kind string) (time.Time, bool, error)
}

// Presence is the board on which workers show that they are alive.
type Presence interface {
	// List returns all rows of the board. A claim has at most one row.
	List(ctx context.Context) ([]projections.Presence, error)
}

// Config is what a Queue needs. Work, Presence and Slots are required.
type Config struct {
	Work     Work
	Presence Presence
	// Slots is how many messages of a kind may be unanswered at once. A kind without slots cannot be subscribed to.
	Slots map[string]int
	// Later are the background accounts, those of the service itself. Their tasks start after the waiting tasks of all
	// other accounts, one task of a kind and account at a time. When others wait and no slot is free, the context of a
	// background task (a fetch, a render or a preload item) ends with the cause commands.ErrGiveWay, and the task is
	// handed out again later. From five minutes after its first claim, a background task gets its turns like the task of
	// any other account.
	Later []string
	// PerAccount is how many messages of a kind one account may have unanswered at once. A kind that is not in the map has no
	// such bound.
	PerAccount map[string]int
	// Wake makes the queue read the work list at once. Without a wake-up, the queue reads it once a second and at due times.
	Wake <-chan struct{}
	// DeadAfter is how long a claim may have no new heartbeat. Default: 20 s.
	DeadAfter time.Duration
	// Fate says what is known of a worker's process. If Fate is nil, a claim is dead only when its heartbeat has not changed for
	// DeadAfter.
	Fate func(worker string) Fate
	// Apart are the kinds whose suspect tasks (which may have crashed a worker) run alone: a suspect task starts only when
	// no other task of these kinds runs in this process, and none of them starts before the suspect task has ended.
	// Decision 56.
	Apart []string
	// Closed reports whether no new task of a kind may start now. Running tasks continue. Nil: never.
	Closed func(kind string) bool
	// LongestRest is the longest backoff of a task that keeps failing, and the longest wait of an item whose claims keep
	// dying. Default: 1 min.
	LongestRest time.Duration
	// Now is the clock that due times are compared with. Default: time.Now. Its readings must be monotonic.
	Now func() time.Time
	Log logrus.FieldLogger // default: nothing is logged
}

// Fate is what is known of a worker's process.
type Fate struct {
	Ended bool         // the process has ended: its claims are dead
	Death domain.Death // how the process failed, if it did
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

// Queue is a Watermill subscriber that sends the tasks of the work list. It is safe for concurrent use.
type Queue struct {
	config    Config
	exclusive *exclusive

	mu     sync.Mutex
	closed bool
	inWork int                      // number of messages that were sent and are not answered yet
	wakes  map[string]chan struct{} // wake-up channels of the live subscriptions, by topic

	stopped  chan struct{}  // closed by Stop and Close: no further message is sent
	idle     chan struct{}  // closed when the queue has stopped and every message is answered
	closing  chan struct{}  // closed by Close: each subscription ends when its messages are answered
	finished sync.WaitGroup // waits for the queue's goroutines
}

// New returns a Queue, or everything that is wrong with its configuration. Close ends it.
func New(config Config) (*Queue, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("work queue: %w", err)
	}
	q := &Queue{
		config:    config.withDefaults(),
		exclusive: newExclusive(),
		wakes:     make(map[string]chan struct{}),
		stopped:   make(chan struct{}),
		idle:      make(chan struct{}),
		closing:   make(chan struct{}),
	}
	q.finished.Go(q.fanOut)
	return q, nil
}

// Subscribe starts to send the tasks of one kind. A kind can have one subscription at a time. The channel is closed when ctx has
// ended or the queue was closed, and all its messages are answered.
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

// fanOut passes every wake-up on to all subscriptions. A subscription that has not received the last wake-up yet gets no
// second one.
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

// Stop sends no further message, and waits until every message is answered. If ctx ends first, the error wraps that of ctx.
// Stop may be called more than once.
func (q *Queue) Stop(ctx context.Context) error {
	q.halt()
	select {
	case <-q.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for running tasks: %w", ctx.Err())
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

// begin counts a message before it is sent. It returns false when the queue has stopped.
func (q *Queue) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.halted() {
		return false
	}
	q.inWork++
	return true
}

// end counts a message as no longer in work: it was answered, or could not be sent.
func (q *Queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inWork--
	if q.inWork == 0 && q.halted() {
		close(q.idle)
	}
}

// Close sends no further message, waits until every message is answered and closes the subscriptions. It may be called more than
// once.
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
