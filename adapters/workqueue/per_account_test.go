package workqueue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/workqueue"
)

// 500 items of one account that never end take no more slots than PerAccount allows: an item of another account starts at
// once.
func TestQueue_PerAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &harness{t: t, list: newList()}
		var err error
		h.queue, err = workqueue.New(workqueue.Config{
			Work: h.list, Presence: h.list, Slots: map[string]int{kind: 8}, PerAccount: map[string]int{kind: 3},
		})
		if err != nil {
			t.Fatal(err)
		}
		h.out, err = h.queue.Subscribe(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 500 {
			h.list.put("slow", fmt.Sprint("slow", i), time.Now().Add(-time.Hour))
		}
		first, firstTask := h.mustNext(2 * time.Second)
		second, secondTask := h.mustNext(2 * time.Second)
		third, thirdTask := h.mustNext(2 * time.Second)
		h.mustNotNext(time.Minute)
		h.list.put("healthy", "quick", time.Now())
		quick, quickTask := h.mustNext(2 * time.Second)
		if quickTask.Account != "healthy" {
			t.Errorf("a fourth of the slow account: %+v", quickTask)
		}
		h.finish(quick, quickTask)
		h.mustNotNext(time.Minute)
		h.finish(first, firstTask)
		fourth, fourthTask := h.mustNext(2 * time.Second)
		if fourthTask.Account != "slow" {
			t.Errorf("the next is %+v", fourthTask)
		}
		h.mustNotNext(time.Minute)
		h.finish(second, secondTask)
		h.finish(third, thirdTask)
		h.finish(fourth, fourthTask)
		for msg, task, ok := h.next(2 * time.Second); ok; msg, task, ok = h.next(2 * time.Second) {
			h.finish(msg, task)
		}
		if err := h.queue.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
