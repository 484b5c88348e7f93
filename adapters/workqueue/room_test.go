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

// TestRoom_Stops: what can be ended at once makes room for a task that has to be alone, and for no other.
func TestRoom_Stops(t *testing.T) {
	now := time.Unix(0, 0)
	r := newRoom()
	fetching := projections.Task{WorkItem: projections.WorkItem{ID: "fetching"}}
	stopped := 0
	if !r.enter(fetching, now) {
		t.Fatal("kept out of an empty room")
	}
	r.stoppable(fetching, func() { stopped++ })
	r.enter(projections.Task{WorkItem: projections.WorkItem{ID: "other"}}, now)
	if stopped != 0 {
		t.Error("stopped for a task that need not be alone")
	}
	suspect := projections.Task{WorkItem: projections.WorkItem{ID: "suspect"}, Apart: true}
	if r.enter(suspect, now) || stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
	r.leave(fetching)
	if r.enter(suspect, now) || stopped != 1 {
		t.Errorf("stopped %d times after it was gone", stopped)
	}
}
