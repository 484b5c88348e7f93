package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"moviola/commands"
	"moviola/projections"
)

// begin claims an item in the list, as a worker does when it gets the task.
func (l *list) begin(task projections.Task) {
	l.claim(task.ID, "here", task.Attempt+1)
	l.mu.Lock()
	defer l.mu.Unlock()
	item := l.items[task.ID]
	if now := time.Now(); item.Since == nil {
		item.Since = &now
	}
	l.items[task.ID] = item
}

// release makes an item ready again and acknowledges its message, as a worker does that releases its claim.
func (h *harness) release(msg *message.Message, task projections.Task) {
	h.list.mu.Lock()
	item := h.list.items[task.ID]
	item.State, item.Worker = projections.WorkReady, ""
	h.list.items[task.ID] = item
	h.list.mu.Unlock()
	msg.Ack()
}

// asked reports whether the context of a message has ended with ErrGiveWay: the queue wants its slot back.
func asked(msg *message.Message) bool {
	synctest.Wait()
	return errors.Is(context.Cause(msg.Context()), commands.ErrGiveWay)
}

// submit puts an item into the list and wakes the queue.
func (h *harness) submit(account, subject string) {
	h.list.put(account, subject, time.Now())
	h.wake <- struct{}{}
	time.Sleep(20 * time.Millisecond)
}

// TestQueue_GivesWay: a task of a background account is stopped as soon as a task of another account waits for its slot, and
// is handed out again when none waits any more.
func TestQueue_GivesWay(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		h.list.put("house", "house", time.Now().Add(-time.Hour))
		own, example := h.mustNext(2 * time.Second)
		h.list.begin(example)
		h.mustNotNext(10 * time.Second)
		if own.Context().Err() != nil {
			t.Fatal("stopped with nobody waiting")
		}
		h.submit("a", "a1")
		if !asked(own) {
			t.Fatal("the slot is not asked back")
		}
		h.mustNotNext(10 * time.Second) // the slot is not free yet
		h.release(own, example)
		msg, task := h.mustNext(time.Millisecond)
		if task.Subject != "a1" {
			t.Fatalf("%s is handed out first", task.Subject)
		}
		h.mustNotNext(10 * time.Second)
		h.finish(msg, task)
		again, next := h.mustNext(2 * time.Second)
		if next.Subject != "house" || next.Attempt != 1 {
			t.Errorf("got %+v", next)
		}
		h.finish(again, next)
	})
}

func TestQueue_GivesWay_OnlyWhereItHelps(t *testing.T) {
	t.Run("work of others is never stopped for their own, nor for the house's", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.list.put("a", "a1", time.Now())
			msg, task := h.mustNext(2 * time.Second)
			h.submit("a", "a2")
			h.submit("house", "house")
			h.mustNotNext(time.Hour)
			if msg.Context().Err() != nil {
				t.Error("stopped")
			}
			h.finish(msg, task)
			for range 2 {
				h.finish(h.mustNext(2 * time.Second))
			}
		})
	})
	t.Run("not while another slot is free", func(t *testing.T) {
		inBubble(t, 2, func(h *harness) {
			h.list.put("house", "house", time.Now())
			own, example := h.mustNext(2 * time.Second)
			h.list.begin(example)
			h.submit("a", "a1")
			msg, task := h.mustNext(2 * time.Second)
			h.mustNotNext(time.Minute)
			if asked(own) {
				t.Error("stopped beside a free slot")
			}
			h.submit("b", "b1")
			if !asked(own) || msg.Context().Err() != nil {
				t.Error("the wrong one is stopped, or none")
			}
			h.release(own, example)
			h.finish(h.mustNext(2 * time.Second))
			h.finish(msg, task)
			h.finish(h.mustNext(2 * time.Second))
		})
	})
	t.Run("not for its like, nor for what rests after a failure", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.list.put("a", "bad", time.Now())
			for range 9 {
				msg, _ := h.mustNext(2 * time.Minute)
				msg.Nack()
			}
			h.list.put("house", "house1", time.Now())
			own, example := h.mustNext(2 * time.Second)
			h.list.begin(example)
			h.submit("house", "house2")
			h.mustNotNext(30 * time.Second)
			if asked(own) {
				t.Error("stopped for nothing")
			}
			h.mustNotNext(time.Minute) // the backoff of the failed item is over by now
			if !asked(own) {
				t.Error("what has rested waits")
			}
			h.release(own, example)
			h.finish(h.mustNext(2 * time.Second))
			for range 2 {
				h.finish(h.mustNext(2 * time.Second))
			}
		})
	})
}

// TestQueue_GivesWay_Seldom: however often tasks of other accounts come, the tasks of a background account start less and
// less often, and a task whose first claim is five minutes old is not stopped any more.
func TestQueue_GivesWay_Seldom(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		for i := range 20 {
			h.list.put("house", fmt.Sprint("house", i), time.Now().Add(time.Duration(i)-time.Hour))
		}
		starts, all, ended := map[string]int{}, 0, ""
		for i := 0; ended == ""; i++ {
			msg, task, ok := h.next(3 * time.Second) // no task of another account comes in this time
			switch {
			case !ok:
				h.submit("a", fmt.Sprint("a", i))
			case task.Account == "a":
				time.Sleep(time.Second)
				h.finish(msg, task)
			default:
				h.list.begin(task)
				starts[task.Subject]++
				all++
				h.submit("a", fmt.Sprint("a", i))
				if asked(msg) {
					h.release(msg, task)
					continue
				}
				h.mustNotNext(time.Minute)
				ended = task.Subject
				h.finish(msg, task)
			}
			if i > 1000 {
				t.Fatalf("nothing of the house's ever ends; starts %v", starts)
			}
		}
		if all < 3 || all > 16 || len(starts) > 1 || ended != "house0" {
			t.Errorf("%s ended after %d starts: %v", ended, all, starts)
		}
		for msg, task, ok := h.next(2 * time.Minute); ok; msg, task, ok = h.next(2 * time.Minute) {
			h.finish(msg, task)
		}
	})
}
