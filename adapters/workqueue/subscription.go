package workqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/projections"
)

// lookInterval is the longest time between two looks at the work list.
const lookInterval = time.Second

// shortestInterval is the time between looks that nothing but news from the log calls for, and atOnce how many of them come without it
// after a pause: a submission brings more than one piece of news.
const (
	shortestInterval = 10 * time.Millisecond
	atOnce           = 3
)

// subscription hands out the work of one kind. All its state belongs to the goroutine of run.
type subscription struct {
	queue *Queue
	kind  string
	slots int
	wake  <-chan struct{}
	out   chan *message.Message
	log   logrus.FieldLogger

	running   map[string]projections.Task // in work here, by item
	ended     chan outcome                // a place per slot: nobody waits to report
	turns     turns
	restraint restraint
	claims    claims
	yields    yields
	emitted   uint64
	apart     bool // suspect tasks of the kind are handed out alone
}

// outcome is how one message ended.
type outcome struct {
	task projections.Task
	ok   bool
}

func newSubscription(q *Queue, kind string, slots int, wake <-chan struct{}) *subscription {
	return &subscription{
		queue: q, kind: kind, slots: slots, wake: wake,
		out:       make(chan *message.Message),
		log:       q.config.Log.WithField("kind", kind),
		running:   make(map[string]projections.Task),
		ended:     make(chan outcome, slots),
		turns:     newTurns(q.config.Later, q.config.PerAccount[kind]),
		restraint: newRestraint(q.config.LongestRest),
		claims:    newClaims(q.config),
		yields:    newYields(),
		apart:     slices.Contains(q.config.Apart, kind),
	}
}

// run hands out work until ctx ends or the queue is closed, and then waits for what is in work.
func (s *subscription) run(ctx context.Context) {
	defer close(s.out)
	defer s.drain()
	timer := time.NewTimer(0)
	defer timer.Stop()
	stopped := (<-chan struct{})(s.queue.stopped)
	var again time.Time // when news may be looked at next
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.closing:
			return
		case <-stopped:
			stopped = nil // only closing is left to wait for
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
			timer.Reset(s.look(ctx))
			if full := s.queue.config.Now().Add(-(atOnce - 1) * shortestInterval); again.Before(full) {
				again = full
			}
			again = again.Add(shortestInterval)
		}
	}
}

// drain waits until every message handed out has been answered.
func (s *subscription) drain() {
	for len(s.running) > 0 {
		s.settle(<-s.ended)
	}
}

func (s *subscription) settle(o outcome) {
	now := s.queue.config.Now()
	delete(s.running, o.task.ID)
	s.leave(o.task)
	s.restraint.ended(o.task, o.ok, now)
	if s.yields.ended(o.task.ID) && s.turns.later[o.task.Account] {
		s.restraint.ended(late, false, now)
	}
}

// leave makes room for tasks that have to be alone, or have waited for one that was.
func (s *subscription) leave(task projections.Task) {
	if s.apart && s.queue.room.leave(task) {
		s.queue.wakeAll()
	}
}

// look hands out what can be started now and returns how long to wait before the next look.
func (s *subscription) look(ctx context.Context) time.Duration {
	now := s.queue.config.Now()
	s.restraint.forget(now)
	dead := s.dead(ctx, now)
	if s.queue.config.Closed(s.kind) {
		return lookInterval
	}
	free := s.slots - len(s.running)
	if free == 0 && !s.mayAsk(now) {
		return lookInterval
	}
	ready, err := s.queue.config.Work.Candidates(ctx, s.kind, now, max(free, 1)+s.withheld(now))
	if err != nil {
		s.complain(ctx, err, "read the work list")
		return lookInterval
	}
	tasks := dead
	for _, item := range ready {
		tasks = append(tasks, projections.Task{WorkItem: item})
	}
	tasks = s.startable(tasks, now)
	if free == 0 {
		s.giveWay(tasks, now)
		return lookInterval
	}
	for _, task := range s.turns.choose(tasks, s.running, free, now) {
		task.Apart = s.apart && (task.Suspect || task.Death != domain.Unexplained)
		if s.apart && !s.queue.room.enter(task, now) {
			continue
		}
		if !s.emit(ctx, task) {
			return lookInterval
		}
	}
	return s.untilDue(ctx, now)
}

// dead returns the claims that are known to be dead.
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
		s.claims.blind()
		s.complain(ctx, err, "watch the claims")
		return nil
	}
	s.claims.saw(claimed, board, now)
	return s.claims.dead(now)
}

// withheld is how many items of one account may stand in the work list's front and cannot be started from here.
func (s *subscription) withheld(now time.Time) int {
	perAccount := s.restraint.perAccount(now)
	most := 0
	for _, task := range s.running {
		perAccount[task.Account]++
	}
	for _, n := range perAccount {
		most = max(most, n)
	}
	return most
}

// startable drops what is in work here or has to wait.
func (s *subscription) startable(tasks []projections.Task, now time.Time) []projections.Task {
	var out []projections.Task
	lateRests := !s.restraint.allows(late, now)
	for _, task := range tasks {
		if lateRests && s.turns.comesLater(task, now) {
			continue
		}
		if _, inWork := s.running[task.ID]; !inWork && s.restraint.allows(task, now) {
			out = append(out, task)
		}
	}
	return out
}

// emit hands one task out and returns false when there is nobody to take it any more.
func (s *subscription) emit(ctx context.Context, task projections.Task) bool {
	payload, err := json.Marshal(task)
	if err != nil {
		s.leave(task)
		s.complain(ctx, err, "encode "+task.ID)
		return true
	}
	if !s.queue.begin() {
		s.leave(task)
		return false
	}
	s.emitted++
	msgCtx, cancel := context.WithCancelCause(ctx)
	msg := message.NewMessageWithContext(msgCtx, task.ID+"/"+strconv.FormatUint(s.emitted, 10), payload)
	middleware.SetCorrelationID(task.Subject, msg)
	select {
	case s.out <- msg:
	case <-ctx.Done():
		cancel(nil)
		s.leave(task)
		s.queue.end()
		return false
	case <-s.queue.stopped:
		cancel(nil)
		s.leave(task)
		s.queue.end()
		return false
	}
	now := s.queue.config.Now()
	if task.Since == nil {
		task.Since = &now
	}
	s.running[task.ID] = task
	s.yields.begun(task, now, cancel)
	if s.apart && task.Kind == projections.WorkFetch {
		s.queue.room.stoppable(task, func() { cancel(commands.ErrAlone) })
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

// untilDue returns how long the next look can wait.
func (s *subscription) untilDue(ctx context.Context, now time.Time) time.Duration {
	wait := lookInterval
	if until, ok := s.restraint.next(now); ok {
		wait = min(wait, until)
	}
	due, ok, err := s.queue.config.Work.NextDue(ctx, s.kind)
	if err != nil {
		s.complain(ctx, err, "read the next due time")
	}
	if ok && due.After(now) {
		wait = min(wait, due.Sub(now))
	}
	return max(wait, time.Millisecond)
}

func (s *subscription) complain(ctx context.Context, err error, doing string) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		s.log.WithError(fmt.Errorf("%s: %w", doing, err)).Warn("the work queue cannot work")
	}
}

func discard() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}
