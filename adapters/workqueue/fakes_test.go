package workqueue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/adapters/workqueue"
	"moviola/projections"
)

const kind = projections.WorkRender

// list is a work list and a presence board in memory. An item that put adds stays until done removes it; claim makes it
// claimed.
type list struct {
	mu    sync.Mutex
	items map[string]projections.WorkItem
	rows  map[string]projections.Presence
	ended map[string]bool // workers that are known to have ended
	down  error
	slow  time.Duration // how long the next call of Claimed takes
	reads int
	asked int // the largest perAccount of all calls of Candidates
}

func newList() *list {
	return &list{items: map[string]projections.WorkItem{}, rows: map[string]projections.Presence{}, ended: map[string]bool{}}
}

// atOnce calls put with the lock held: the queue sees all items that put adds (by add) at the same time.
func (l *list) atOnce(put func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	put()
}

func (l *list) put(account, subject string, due time.Time) projections.WorkItem {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(account, subject, due)
}

// add is the method put for a caller that holds the lock.
func (l *list) add(account, subject string, due time.Time) projections.WorkItem {
	item := projections.WorkItem{
		ID: "render/" + subject, Kind: kind, Account: account, Subject: subject, State: projections.WorkReady, Due: due,
	}
	l.items[item.ID] = item
	return item
}

func (l *list) done(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.items, id)
}

func (l *list) claim(id, worker string, attempt int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	item := l.items[id]
	item.State, item.Worker, item.Attempt = projections.WorkClaimed, worker, attempt
	l.items[id] = item
}

func (l *list) beat(id, worker string, attempt int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := l.rows[id]
	l.rows[id] = projections.Presence{Work: id, Worker: worker, Attempt: attempt, Beat: row.Beat + 1}
}

// end makes fate report that a worker has ended.
func (l *list) end(worker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended[worker] = true
}

func (l *list) fate(worker string) workqueue.Fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	return workqueue.Fate{Ended: l.ended[worker]}
}

func (l *list) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = err
}

// inState returns the items in a state, the oldest first.
func (l *list) inState(state string) []projections.WorkItem {
	var out []projections.WorkItem
	for _, item := range l.items {
		if item.State == state {
			out = append(out, item)
		}
	}
	slices.SortFunc(out, func(a, b projections.WorkItem) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (l *list) Candidates(_ context.Context, _ string, now time.Time, perAccount int) ([]projections.WorkItem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	l.asked = max(l.asked, perAccount)
	taken := map[string]int{}
	var out []projections.WorkItem
	for _, item := range l.inState(projections.WorkReady) {
		if taken[item.Account] < perAccount && !item.Due.After(now) {
			taken[item.Account]++
			out = append(out, item)
		}
	}
	return out, l.down
}

func (l *list) Claimed(context.Context, string) ([]projections.WorkItem, error) {
	l.mu.Lock()
	slow := l.slow
	l.slow = 0
	l.mu.Unlock()
	time.Sleep(slow)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inState(projections.WorkClaimed), l.down
}

func (l *list) NextDue(context.Context, string) (time.Time, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := l.inState(projections.WorkReady)
	if len(ready) == 0 {
		return time.Time{}, false, l.down
	}
	return ready[0].Due, true, l.down
}

func (l *list) List(context.Context) ([]projections.Presence, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []projections.Presence
	for _, row := range l.rows {
		rows = append(rows, row)
	}
	return rows, l.down
}

// harness is a subscribed queue in a bubble of fake time.
type harness struct {
	t     *testing.T
	list  *list
	queue *workqueue.Queue
	wake  chan struct{}
	out   <-chan *message.Message
}

// inBubble runs a test with a queue of so many slots. The bubble fails the test when a goroutine is left over.
func inBubble(t *testing.T, slots int, test func(*harness)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &harness{t: t, list: newList(), wake: make(chan struct{}, 1)}
		var err error
		h.queue, err = workqueue.New(workqueue.Config{
			Work: h.list, Presence: h.list, Slots: map[string]int{kind: slots}, Wake: h.wake, Later: []string{"house"}, Fate: h.list.fate,
		})
		if err != nil {
			t.Fatal(err)
		}
		h.out, err = h.queue.Subscribe(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		test(h)
		if err := h.queue.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// next waits at most d for a message. It returns false when none came, or the channel is closed.
func (h *harness) next(d time.Duration) (*message.Message, projections.Task, bool) {
	h.t.Helper()
	select {
	case msg, ok := <-h.out:
		if !ok {
			return nil, projections.Task{}, false
		}
		var task projections.Task
		if err := json.Unmarshal(msg.Payload, &task); err != nil {
			h.t.Fatalf("payload %s: %v", msg.Payload, err)
		}
		return msg, task, true
	case <-time.After(d):
		return nil, projections.Task{}, false
	}
}

func (h *harness) mustNext(d time.Duration) (*message.Message, projections.Task) {
	h.t.Helper()
	msg, task, ok := h.next(d)
	if !ok {
		h.t.Fatalf("no message within %s", d)
	}
	return msg, task
}

func (h *harness) mustNotNext(d time.Duration) {
	h.t.Helper()
	if _, task, ok := h.next(d); ok {
		h.t.Fatalf("unexpected message %+v", task)
	}
}

// mustStop calls Stop with a limit of a minute, and requires the error want; nil: the queue stops in time.
func (h *harness) mustStop(want error) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.queue.Stop(ctx); !errors.Is(err, want) {
		h.t.Errorf("stop: %v, want %v", err, want)
	}
}

func (h *harness) finish(msg *message.Message, task projections.Task) {
	h.list.done(task.ID)
	msg.Ack()
}
