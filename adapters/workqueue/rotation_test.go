package workqueue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	gocmp "github.com/google/go-cmp/cmp"

	"moviola/projections"
)

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

// TestQueue_Later: the tasks of a background account start after those of all other accounts, one at a time.
func TestQueue_Later(t *testing.T) {
	inBubble(t, 2, func(h *harness) {
		h.list.atOnce(func() {
			for i := range 3 {
				h.list.add("house", fmt.Sprint("house", i), time.Now().Add(-time.Hour))
				h.list.add("a", fmt.Sprint("a", i), time.Now())
			}
		})
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
		if first.Subject != "a2" { // the slot was given before b had items
			t.Fatalf("got %s", first.Subject)
		}
		h.finish(short, first)
		for _, want := range []string{"b1", "b2"} { // b had the last turn, but a has a running task
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
