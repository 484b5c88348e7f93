package workqueue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/projections"
)

// pollInterval is the longest time between two polls of the work list.
const pollInterval = time.Second

// A wake-up causes a poll. The first atOnce polls after a quiet time follow without a pause. Later wake-ups are delayed,
// so that they cause at most one poll in shortestInterval: one submission causes several wake-ups.
const (
	shortestInterval = 10 * time.Millisecond
	atOnce           = 3
)

// subscription sends the tasks of one kind. The goroutine of run owns all its state.
type subscription struct {
	queue *Queue
	kind  string
	slots int
	wake  <-chan struct{}
	out   chan *message.Message
	log   logrus.FieldLogger

	running  map[string]projections.Task // running tasks, by item
	ended    chan outcome                // has room for one outcome per slot, so that no sender waits
	rotation rotation
	backoff  backoff
	claims   claims
	preempt  preemption
	emitted  uint64
	apart    bool // true: a task of this kind that may have crashed a worker runs alone; see Config.Apart
}

// outcome is how one message was answered.
type outcome struct {
	task projections.Task
	ok   bool
}

func newSubscription(q *Queue, kind string, slots int, wake <-chan struct{}) *subscription {
	return &subscription{
		queue: q, kind: kind, slots: slots, wake: wake,
		out:      make(chan *message.Message),
		log:      q.config.Log.WithField("kind", kind),
		running:  make(map[string]projections.Task),
		ended:    make(chan outcome, slots),
		rotation: newRotation(q.config.Later, q.config.PerAccount[kind]),
		backoff:  newBackoff(q.config.LongestRest),
		claims:   newClaims(q.config),
		preempt:  newPreemption(),
		apart:    slices.Contains(q.config.Apart, kind),
	}
}

// run sends tasks until ctx ends, or the queue is stopped or closed. When the queue is only stopped, run sends nothing
// more, and waits until ctx ends or the queue is closed. Then it waits until all tasks are answered, and returns.
func (s *subscription) run(ctx context.Context) {
	defer close(s.out)
	defer s.drain()
	timer := time.NewTimer(0)
	defer timer.Stop()
	stopped := (<-chan struct{})(s.queue.stopped)
	var again time.Time // earliest time at which a wake-up may cause the next poll
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.closing:
			return
		case <-stopped:
			stopped = nil // a stopped queue sends no task: from now on, wait for the close of the queue only
			timer.Stop()
			continue
		case o := <-s.ended:
			s.settle(o)
		case <-s.wake:
			if wait := again.Sub(s.queue.config.Now()); wait > 0 {
				timer.Reset(wait)
				continue
			}
		case <-timer.C:
		}
		if stopped != nil {
			timer.Reset(s.poll(ctx))
			if full := s.queue.config.Now().Add(-(atOnce - 1) * shortestInterval); again.Before(full) {
				again = full
			}
			again = again.Add(shortestInterval)
		}
	}
}

// drain waits until every message is answered.
func (s *subscription) drain() {
	for len(s.running) > 0 {
		s.settle(<-s.ended)
	}
}

func (s *subscription) settle(o outcome) {
	now := s.queue.config.Now()
	delete(s.running, o.task.ID)
	s.release(o.task)
	s.backoff.record(o.task, o.ok, now)
	if s.preempt.finished(o.task.ID) && s.rotation.later[o.task.Account] {
		s.backoff.record(late, false, now)
	}
}

// release takes the exclusive lock from a task, and wakes the other subscriptions when one of their tasks may wait for the lock.
func (s *subscription) release(task projections.Task) {
	if s.apart && s.queue.exclusive.release(task) {
		s.queue.wakeAll()
	}
}

// poll starts what can be started now and returns how long to wait before the next poll.
func (s *subscription) poll(ctx context.Context) time.Duration {
	now := s.queue.config.Now()
	s.backoff.forget(now)
	dead := s.dead(ctx, now)
	if s.queue.config.Closed(s.kind) {
		return pollInterval
	}
	free := s.slots - len(s.running)
	if free == 0 && !s.canPreempt(now) {
		return pollInterval
	}
	ready, err := s.queue.config.Work.Candidates(ctx, s.kind, now, max(free, 1)+s.notStartable(now))
	if err != nil {
		s.warn(ctx, err, "read the work list")
		return pollInterval
	}
	tasks := dead
	for _, item := range ready {
		tasks = append(tasks, projections.Task{WorkItem: item})
	}
	tasks = s.startable(tasks, now)
	if free == 0 {
		s.preemptFor(tasks, now)
		return pollInterval
	}
	for _, task := range s.rotation.pick(tasks, s.running, free, now) {
		task.Apart = s.apart && (task.Suspect || task.Death != domain.Unexplained)
		if s.apart && !s.queue.exclusive.admit(task, now) {
			continue
		}
		if !s.emit(ctx, task) {
			return pollInterval
		}
	}
	return s.untilNextPoll(ctx, now)
}

// dead returns the tasks of dead claims that can be handed out again. It returns none when the claims or the presence board
// cannot be read.
func (s *subscription) dead(ctx context.Context, now time.Time) []projections.Task {
	if !s.claims.tick(now) {
		return s.claims.dead(now)
	}
	claimed, err := s.queue.config.Work.Claimed(ctx, s.kind)
	var board []projections.Presence
	if err == nil && len(claimed) > 0 {
		board, err = s.queue.config.Presence.List(ctx)
	}
	if err != nil {
		s.claims.readingFailed()
		s.warn(ctx, err, "watch the claims")
		return nil
	}
	s.claims.observe(claimed, board, now)
	return s.claims.dead(now)
}

// notStartable counts for each account the items that run here or back off, and returns the largest count. These items may
// come first in the work list without being startable, so poll reads that many more candidates of each account.
func (s *subscription) notStartable(now time.Time) int {
	perAccount := s.backoff.perAccount(now)
	most := 0
	for _, task := range s.running {
		perAccount[task.Account]++
	}
	for _, n := range perAccount {
		most = max(most, n)
	}
	return most
}

// startable drops the tasks that run here or back off.
func (s *subscription) startable(tasks []projections.Task, now time.Time) []projections.Task {
	var out []projections.Task
	lateRests := !s.backoff.ready(late, now)
	for _, task := range tasks {
		if lateRests && s.rotation.isBackground(task, now) {
			continue
		}
		if _, inWork := s.running[task.ID]; !inWork && s.backoff.ready(task, now) {
			out = append(out, task)
		}
	}
	return out
}

// emit sends one task. It returns false when the queue has stopped or the subscription has ended.
func (s *subscription) emit(ctx context.Context, task projections.Task) bool {
	payload, err := json.Marshal(task)
	if err != nil {
		s.release(task)
		s.warn(ctx, err, "encode "+task.ID)
		return true
	}
	if !s.queue.begin() {
		s.release(task)
		return false
	}
	s.emitted++
	kept := new(atomic.Bool)
	msgCtx, cancel := context.WithCancelCause(commands.WithSlot(ctx, kept))
	msg := message.NewMessageWithContext(msgCtx, task.ID+"/"+strconv.FormatUint(s.emitted, 10), payload)
	middleware.SetCorrelationID(cmp.Or(task.Correlation, task.Subject), msg)
	select {
	case s.out <- msg:
	case <-ctx.Done():
		cancel(nil)
		s.release(task)
		s.queue.end()
		return false
	case <-s.queue.stopped:
		cancel(nil)
		s.release(task)
		s.queue.end()
		return false
	}
	now := s.queue.config.Now()
	if task.Since == nil {
		task.Since = &now
	}
	s.running[task.ID] = task
	s.preempt.started(task, now, cancel, kept)
	if s.apart && task.Kind == projections.WorkFetch {
		s.queue.exclusive.endable(task, func() { cancel(commands.ErrAlone) })
	}
	s.queue.finished.Go(func() {
		defer s.queue.end()
		defer cancel(nil)
		select {
		case <-msg.Acked():
			s.ended <- outcome{task: task, ok: true}
		case <-msg.Nacked():
			s.ended <- outcome{task: task}
		}
	})
	return true
}

// untilNextPoll returns how long the next poll can wait.
func (s *subscription) untilNextPoll(ctx context.Context, now time.Time) time.Duration {
	wait := pollInterval
	if until, ok := s.backoff.untilNext(now); ok {
		wait = min(wait, until)
	}
	due, ok, err := s.queue.config.Work.NextDue(ctx, s.kind)
	if err != nil {
		s.warn(ctx, err, "read the next due time")
	}
	if ok && due.After(now) {
		wait = min(wait, due.Sub(now))
	}
	return max(wait, time.Millisecond)
}

func (s *subscription) warn(ctx context.Context, err error, what string) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		s.log.WithError(fmt.Errorf("%s: %w", what, err)).Warn("work queue: looking for or starting a task failed; trying again")
	}
}

func discard() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}
