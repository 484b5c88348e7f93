package workqueue

import (
	"testing"
	"time"

	"moviola/projections"
)

func TestRoom(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRoom()
	task := func(id string, apart bool) projections.Task {
		return projections.Task{WorkItem: projections.WorkItem{ID: id}, Apart: apart}
	}
	enter := func(id string, apart, want bool) {
		t.Helper()
		if got := r.enter(task(id, apart), now); got != want {
			t.Fatalf("enter %s (apart %v): %v", id, apart, got)
		}
	}
	leave := func(id string) { r.leave(task(id, false)) }

	enter("a", false, true)
	enter("b", false, true)
	enter("suspect", true, false) // it waits,
	enter("c", false, false)      // and others are kept out
	enter("second suspect", true, false)
	leave("a")
	enter("suspect", true, false)
	leave("b")
	enter("suspect", true, true)
	enter("c", false, false)
	enter("second suspect", true, false)
	leave("suspect")
	enter("c", false, true)

	enter("suspect", true, false)
	now = now.Add(wishTime) // somebody else has it
	enter("d", false, true)
}
