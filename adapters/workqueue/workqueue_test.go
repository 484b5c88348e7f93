package workqueue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	gocmp "github.com/google/go-cmp/cmp"

	"moviola/adapters/workqueue"
	"moviola/projections"
)

const kind = projections.WorkRender

// list is a work list in memory: what is put in stays until it is done, and is claimed by whom claim names.
type list struct {
	mu    sync.Mutex
	items map[string]projections.WorkItem
	rows  map[string]projections.Presence
	down  error
	slow  time.Duration // of the next read of the claims
	reads int
	asked int // the largest perAccount
}

func newList() *list {
	return &list{items: map[string]projections.WorkItem{}, rows: map[string]projections.Presence{}}
}

func (l *list) put(account, subject string, due time.Time) projections.WorkItem {
	l.mu.Lock()
	defer l.mu.Unlock()
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
			Work: h.list, Presence: h.list, Slots: map[string]int{kind: slots}, Wake: h.wake, Later: []string{"house"},
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

// next waits at most d for a message.
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

// mustStop stops the queue within a minute, or expects that this takes longer.
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

func TestQueue_EmitsOnlyWhenASlotIsFree(t *testing.T) {
	inBubble(t, 2, func(h *harness) {
		for i := range 5 {
			h.list.put("a", fmt.Sprint(i), time.Now().Add(time.Duration(i)-time.Minute))
		}
		first, task := h.mustNext(2 * time.Second)
		if task.Subject != "0" {
			t.Errorf("the oldest is not first: %+v", task)
		}
		second, task2 := h.mustNext(time.Millisecond)
		h.mustNotNext(time.Minute)
		h.finish(first, task)
		third, task3 := h.mustNext(time.Millisecond) // at once, without waiting for the next look
		h.mustNotNext(time.Minute)
		h.finish(second, task2)
		h.finish(third, task3)
	})
}

func TestQueue_IsWoken(t *testing.T) {
	t.Run("by the wake channel", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.mustNotNext(5*time.Second + 500*time.Millisecond)
			h.list.put("a", "1", time.Now())
			h.wake <- struct{}{}
			h.finish(h.mustNext(20 * time.Millisecond))
		})
	})
	t.Run("by due time", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.list.put("a", "1", time.Now().Add(10*time.Second+123*time.Millisecond))
			h.mustNotNext(10*time.Second + 122*time.Millisecond)
			h.finish(h.mustNext(2 * time.Millisecond))
		})
	})
	t.Run("at least once a second", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.mustNotNext(5500 * time.Millisecond)
			h.list.put("a", "1", time.Now())
			h.finish(h.mustNext(time.Second))
		})
	})
}

func TestQueue_NoAccountStarves(t *testing.T) {
	for _, slots := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(slots, " slots"), func(t *testing.T) {
			inBubble(t, slots, func(h *harness) {
				const duration = 10 * time.Second
				for i := range 1000 {
					h.list.put("A", fmt.Sprintf("a%04d", i), time.Now().Add(-time.Hour+time.Duration(i)))
				}
				work := func(msg *message.Message, task projections.Task) {
					time.Sleep(duration)
					h.finish(msg, task)
				}
				for range slots {
					go work(h.mustNext(2 * time.Second))
				}
				h.list.put("B", "b", time.Now())
				submitted := time.Now()
				for {
					msg, task := h.mustNext(2 * duration)
					go work(msg, task)
					if task.Account == "B" {
						break
					}
				}
				if waited := time.Since(submitted); waited > 2*duration {
					t.Errorf("B waited %s", waited)
				}
				h.mustStop(nil)
				h.list.mu.Lock()
				defer h.list.mu.Unlock()
				if h.list.asked > 2*slots+1 {
					t.Errorf("asked for %d items of one account", h.list.asked)
				}
			})
		})
	}
}

func TestQueue_AccountsTakeTurns(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		for i := range 3 {
			for _, account := range []string{"a", "b", "c"} {
				h.list.put(account, fmt.Sprint(account, i), time.Now().Add(-time.Minute))
			}
		}
		var order []string
		for range 9 {
			msg, task := h.mustNext(2 * time.Second)
			order = append(order, task.Account)
			h.finish(msg, task)
		}
		if diff := gocmp.Diff([]string{"a", "b", "c", "a", "b", "c", "a", "b", "c"}, order); diff != "" {
			t.Errorf("turns (-want +got):\n%s", diff)
		}
	})
}

// TestQueue_Later: what the service does for itself comes after all others' work, one task at a time.
func TestQueue_Later(t *testing.T) {
	inBubble(t, 2, func(h *harness) {
		for i := range 3 {
			h.list.put("house", fmt.Sprint("house", i), time.Now().Add(-time.Hour))
			h.list.put("a", fmt.Sprint("a", i), time.Now())
		}
		var order []string
		for range 3 {
			msg, task := h.mustNext(2 * time.Second)
			order = append(order, task.Account)
			h.finish(msg, task)
		}
		if diff := gocmp.Diff([]string{"a", "a", "a"}, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		msg, task := h.mustNext(2 * time.Second)
		if other, second, ok := h.next(5 * time.Second); ok {
			t.Errorf("%s is handed out beside %s", second.Subject, task.Subject)
			h.finish(other, second)
		}
		h.finish(msg, task)
	})
}

func TestQueue_WhoHasTheFewestInWorkComesFirst(t *testing.T) {
	inBubble(t, 2, func(h *harness) {
		for _, subject := range []string{"a1", "a2"} {
			h.list.put("a", subject, time.Now().Add(-time.Hour))
		}
		long, task := h.mustNext(2 * time.Second)
		for _, subject := range []string{"b1", "b2"} {
			h.list.put("b", subject, time.Now())
		}
		short, first := h.mustNext(2 * time.Second)
		if first.Subject != "a2" { // b was not there yet
			t.Fatalf("got %s", first.Subject)
		}
		h.finish(short, first)
		for _, want := range []string{"b1", "b2"} { // b had the last turn, but a has one in work
			msg, next := h.mustNext(2 * time.Second)
			if next.Subject != want {
				t.Errorf("got %s, want %s", next.Subject, want)
			}
			h.list.put("a", "a3", time.Now().Add(-time.Hour))
			h.finish(msg, next)
		}
		h.finish(long, task)
		h.finish(h.mustNext(2 * time.Second))
	})
}

func TestQueue_NackBacksOff(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		h.list.put("a", "bad", time.Now().Add(-time.Hour))
		var waits []time.Duration
		last := time.Now()
		for range 10 {
			msg, _ := h.mustNext(2 * time.Minute)
			waits = append(waits, time.Since(last))
			last = time.Now()
			msg.Nack()
		}
		for i, wait := range waits[1:] {
			want := min(500*time.Millisecond<<i, time.Minute)
			if wait < want*3/4 || wait > want+time.Second {
				t.Errorf("after failure %d it waited %s, not about %s", i+1, wait, want)
			}
		}
		h.list.put("a", "good", time.Now())
		msg, task := h.mustNext(2 * time.Second)
		if task.Subject != "good" {
			t.Errorf("an item at rest blocks the others: %s", task.Subject)
		}
		h.finish(msg, task)
	})
}

func TestQueue_AFinishedItemThatTheListStillShowsIsNoHotLoop(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		item := h.list.put("a", "1", time.Now())
		times := 0
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			if msg, _, ok := h.next(time.Second); ok {
				times++
				msg.Ack()
			}
		}
		if times < 2 || times > 10 {
			t.Errorf("handed out %d times in a minute", times)
		}
		// A new state is handed out as soon as the next look is allowed.
		item.Attempt++
		h.list.mu.Lock()
		h.list.items[item.ID] = item
		h.list.mu.Unlock()
		h.wake <- struct{}{}
		h.finish(h.mustNext(20 * time.Millisecond))
	})
}

func TestQueue_DeadClaims(t *testing.T) {
	t.Run("a silent claim is handed out with its attempt", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now())
			h.list.claim(item.ID, "w", 2)
			for range 10 {
				h.list.beat(item.ID, "w", 2)
				h.mustNotNext(2 * time.Second)
			}
			silence := time.Now().Add(-2 * time.Second)
			msg, task := h.mustNext(25 * time.Second)
			if task.Dead != 2 || time.Since(silence) < 20*time.Second || time.Since(silence) > 23*time.Second {
				t.Errorf("dead %d after %s", task.Dead, time.Since(silence))
			}
			h.finish(msg, task)
		})
	})
	t.Run("a claim without a row ages from when it was first seen", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now().Add(-time.Hour))
			h.list.claim(item.ID, "w", 1)
			for range 9 {
				h.list.beat(item.ID, "w", 7) // another claim's
				h.mustNotNext(time.Second)
				h.list.beat(item.ID, "other", 1) // another worker's
				h.mustNotNext(time.Second)
			}
			h.mustNotNext(time.Second)
			msg, task := h.mustNext(3 * time.Second)
			if task.Dead != 1 {
				t.Errorf("dead %d", task.Dead)
			}
			h.finish(msg, task)
		})
	})
	t.Run("a new attempt begins anew", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now())
			h.list.claim(item.ID, "w", 1)
			h.mustNotNext(15 * time.Second)
			h.list.claim(item.ID, "v", 2)
			h.mustNotNext(19 * time.Second)
			msg, task := h.mustNext(3 * time.Second)
			if task.Dead != 2 {
				t.Errorf("dead %d", task.Dead)
			}
			h.finish(msg, task)
		})
	})
	t.Run("time in which the observer cannot read does not count", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now())
			h.list.claim(item.ID, "w", 1)
			for range 9 {
				h.mustNotNext(time.Second)
				h.list.fail(errors.New("away"))
				h.mustNotNext(10 * time.Second)
				h.list.fail(nil)
			}
			h.mustNotNext(9 * time.Second)
			h.finish(h.mustNext(13 * time.Second))
		})
	})
	t.Run("nor does time in which the observer itself stood still", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now())
			h.list.claim(item.ID, "w", 1)
			h.mustNotNext(3 * time.Second)
			h.list.mu.Lock()
			h.list.slow = time.Minute
			h.list.mu.Unlock()
			h.mustNotNext(time.Minute + 10*time.Second)
			h.finish(h.mustNext(12 * time.Second))
		})
	})
	t.Run("what is in work here is never dead", func(t *testing.T) {
		inBubble(t, 2, func(h *harness) {
			item := h.list.put("a", "1", time.Now())
			msg, task := h.mustNext(2 * time.Second)
			h.list.claim(item.ID, "here", 1)
			h.mustNotNext(time.Minute)
			h.finish(msg, task)
		})
	})
}

func TestQueue_SurvivesAnUnreadableList(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		h.list.fail(errors.New("away"))
		h.list.put("a", "1", time.Now())
		h.mustNotNext(10 * time.Second)
		h.list.fail(nil)
		h.finish(h.mustNext(2 * time.Second))
	})
}

func TestQueue_CloseDrains(t *testing.T) {
	inBubble(t, 2, func(h *harness) {
		for i := range 5 {
			h.list.put("a", fmt.Sprint(i), time.Now())
		}
		msg, task := h.mustNext(2 * time.Second)
		// Stop comes while the second one waits to be taken.
		synctest.Wait()
		h.mustStop(context.DeadlineExceeded)
		h.mustNotNext(10 * time.Second)
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = h.queue.Close()
		}()
		select {
		case <-closed:
			t.Error("closed with a message in work")
		case <-time.After(time.Minute):
		}
		if msg.Context().Err() != nil {
			t.Error("the message in work was cut short")
		}
		h.finish(msg, task)
		h.mustStop(nil)
		<-closed
		if _, open := <-h.out; open {
			t.Error("the channel is still open")
		}
		if _, err := h.queue.Subscribe(t.Context(), kind); err == nil {
			t.Error("subscribed to a closed queue")
		}
	})
}

func TestQueue_ASubscriptionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		q, err := workqueue.New(workqueue.Config{Work: l, Presence: l, Slots: map[string]int{kind: 1}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out, err := q.Subscribe(ctx, kind)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Subscribe(ctx, kind); err == nil {
			t.Error("a kind was subscribed to twice")
		}
		if _, err := q.Subscribe(ctx, "unknown"); err == nil {
			t.Error("subscribed to a kind without slots")
		}
		cancel()
		if _, open := <-out; open {
			t.Error("the channel is still open")
		}
		synctest.Wait()
		if _, err := q.Subscribe(t.Context(), kind); err != nil {
			t.Errorf("subscribe again: %v", err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	l := newList()
	for name, config := range map[string]workqueue.Config{
		"no work":     {Presence: l},
		"no presence": {Work: l},
		"no slots":    {Work: l, Presence: l, Slots: map[string]int{kind: 0}},
	} {
		if _, err := workqueue.New(config); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
