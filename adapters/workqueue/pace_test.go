package workqueue_test

import (
	"testing"
	"time"
)

// The first wake-ups in a row, as a submission causes them, each cause a poll at once. Wake-ups without end cause a hundred
// polls a second.
func TestQueue_Pace(t *testing.T) {
	inBubble(t, 1, func(h *harness) {
		h.mustNotNext(5*time.Second + 500*time.Millisecond)
		h.wake <- struct{}{}
		h.mustNotNext(time.Microsecond)
		h.list.put("a", "1", time.Now())
		h.wake <- struct{}{}
		h.finish(h.mustNext(time.Microsecond))
		h.mustNotNext(time.Second)
		h.list.mu.Lock()
		before := h.list.reads
		h.list.mu.Unlock()
		for range 1000 {
			h.wake <- struct{}{}
			h.mustNotNext(time.Millisecond)
		}
		h.list.mu.Lock()
		defer h.list.mu.Unlock()
		if n := h.list.reads - before; n < 90 || n > 110 {
			t.Errorf("%d looks in a second", n)
		}
	})
}
