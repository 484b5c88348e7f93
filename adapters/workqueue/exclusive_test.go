package workqueue

import (
	"testing"
	"time"

	"moviola/projections"
)

func TestExclusive(t *testing.T) {
	now := time.Unix(0, 0)
	r := newExclusive()
	task := func(id string, apart bool) projections.Task {
		return projections.Task{WorkItem: projections.WorkItem{ID: id}, Apart: apart}
	}
	enter := func(id string, apart, want bool) {
		t.Helper()
		if got := r.admit(task(id, apart), now); got != want {
			t.Fatalf("enter %s (apart %v): %v", id, apart, got)
		}
	}
	leave := func(id string) { r.release(task(id, false)) }

	enter("a", false, true)
	enter("b", false, true)
	enter("suspect", true, false) // the suspect waits for a and b to end,
	enter("c", false, false)      // and no other task is admitted meanwhile
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
	now = now.Add(reservationTime) // the suspect was not tried again: its reservation lapses
	enter("d", false, true)
}

// TestExclusive_Endable: a task that may be stopped at once is stopped when another task has to run alone, and for no other
// task.
func TestExclusive_Endable(t *testing.T) {
	now := time.Unix(0, 0)
	r := newExclusive()
	fetching := projections.Task{WorkItem: projections.WorkItem{ID: "fetching"}}
	stopped := 0
	if !r.admit(fetching, now) {
		t.Fatal("not admitted although nobody holds the lock")
	}
	r.endable(fetching, func() { stopped++ })
	r.admit(projections.Task{WorkItem: projections.WorkItem{ID: "other"}}, now)
	if stopped != 0 {
		t.Error("stopped for a task that need not be alone")
	}
	suspect := projections.Task{WorkItem: projections.WorkItem{ID: "suspect"}, Apart: true}
	if r.admit(suspect, now) || stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
	r.release(fetching)
	if r.admit(suspect, now) || stopped != 1 {
		t.Errorf("stopped %d times after it was gone", stopped)
	}
}
