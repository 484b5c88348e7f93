package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/workqueue"
)

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
		third, task3 := h.mustNext(time.Millisecond) // at once, without waiting for the next second
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
		// An item with a new state is handed out at the next poll.
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
	t.Run("one of a worker that is known to have ended is dead at once", func(t *testing.T) {
		inBubble(t, 2, func(h *harness) {
			for _, worker := range []string{"ended", "silent"} {
				h.list.claim(h.list.put("a", worker, time.Now()).ID, worker, 3)
			}
			h.mustNotNext(5 * time.Second)
			h.list.end("ended")
			msg, task := h.mustNext(2 * time.Second)
			if task.Subject != "ended" || task.Dead != 3 {
				t.Errorf("handed out %+v", task)
			}
			h.mustNotNext(10 * time.Second)
			h.finish(msg, task)
			h.finish(h.mustNext(10 * time.Second))
		})
	})
	t.Run("a claim without a row ages from when it was first seen", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			item := h.list.put("a", "1", time.Now().Add(-time.Hour))
			h.list.claim(item.ID, "w", 1)
			for range 9 {
				h.list.beat(item.ID, "w", 7) // heartbeat of another attempt
				h.mustNotNext(time.Second)
				h.list.beat(item.ID, "other", 1) // heartbeat of another worker
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
		// Stop is called while the second message waits to be received.
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
