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
)

// shares reports whether the context of a message has ended with ErrShare: another account needs its slot.
func shares(msg *message.Message) bool {
	synctest.Wait()
	return errors.Is(context.Cause(msg.Context()), commands.ErrShare)
}

// TestQueue_Shares: a render that has the only slot is asked for it when another account waits. It continues after the other
// account's render, before the renders that its own account submitted later.
func TestQueue_Shares(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		for i := range 50 {
			h.list.put("a", fmt.Sprintf("a%02d", i), time.Now().Add(time.Duration(i)-time.Hour))
		}
		long, first := h.mustNext(2 * time.Second)
		h.list.begin(first)
		h.mustNotNext(30 * time.Second)
		if shares(long) {
			t.Fatal("asked with nobody waiting")
		}
		h.submit("b", "b1")
		if !shares(long) {
			t.Fatal("not asked for its slot")
		}
		h.release(long, first)
		msg, task := h.mustNext(time.Second)
		if task.Subject != "b1" {
			t.Fatalf("%s is handed out first", task.Subject)
		}
		h.mustNotNext(10 * time.Second)
		if shares(msg) != true {
			t.Error("the others wait as well")
		}
		h.finish(msg, task)
		again, next := h.mustNext(2 * time.Second)
		if next.Subject != "a00" || next.Attempt != 1 {
			t.Errorf("got %+v", next)
		}
		h.finish(again, next)
		for range 49 {
			h.finish(h.mustNext(2 * time.Second))
		}
	})
}

func TestQueue_Shares_OnlyWhereItHelps(t *testing.T) {
	t.Run("of two accounts, the one with more in work shares", func(t *testing.T) {
		inBubble(t, 3, func(h *harness) {
			h.list.put("b", "b1", time.Now().Add(-time.Minute))
			other, task := h.mustNext(2 * time.Second)
			h.list.begin(task)
			h.submit("a", "a1")
			first, one := h.mustNext(2 * time.Second)
			h.list.begin(one)
			h.submit("a", "a2")
			second, two := h.mustNext(2 * time.Second)
			h.list.begin(two)
			h.mustNotNext(2 * time.Second)
			h.submit("c", "c1")
			h.mustNotNext(2 * time.Second)
			if !shares(first) || shares(second) || shares(other) {
				t.Errorf("asked: %v %v %v", shares(first), shares(second), shares(other))
			}
			h.release(first, one)
			h.finish(h.mustNext(2 * time.Second))
			h.finish(h.mustNext(2 * time.Second))
			h.finish(second, two)
			h.finish(other, task)
		})
	})
	t.Run("not before it had a turn", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.submit("a", "a1")
			msg, task := h.mustNext(2 * time.Second)
			h.list.begin(task)
			h.submit("b", "b1")
			if shares(msg) {
				t.Error("asked at once")
			}
			h.mustNotNext(2 * time.Second)
			if !shares(msg) {
				t.Error("not asked after its turn")
			}
			h.release(msg, task)
			h.finish(h.mustNext(2 * time.Second))
			h.finish(h.mustNext(2 * time.Second))
		})
	})
	t.Run("however long ago it was begun, and every second turn is its then", func(t *testing.T) {
		inBubble(t, 1, func(h *harness) {
			h.submit("a", "long")
			msg, task := h.mustNext(2 * time.Second)
			h.list.begin(task)
			h.mustNotNext(20 * time.Minute)
			for _, account := range []string{"b", "c", "d"} {
				h.list.put(account, account+"1", time.Now())
			}
			for _, account := range []string{"b", "c", "d"} {
				h.mustNotNext(2 * time.Second)
				if task.Subject != "long" || !shares(msg) {
					t.Fatalf("%s has the slot and is asked for it: %v", task.Subject, shares(msg))
				}
				h.release(msg, task)
				other, guest := h.mustNext(2 * time.Second)
				if guest.Account != account {
					t.Errorf("%s comes before %s", guest.Subject, account)
				}
				h.finish(other, guest)
				msg, task = h.mustNext(2 * time.Second)
				h.list.begin(task)
			}
			if task.Subject != "long" {
				t.Errorf("%s comes last", task.Subject)
			}
			h.finish(msg, task)
		})
	})
}
