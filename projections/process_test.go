package projections_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/projections"
)

// TestProcessBoard: processes see each other until they end, and those that were killed for a minute.
func TestProcessBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := mustOpen(t, w.config(w.documents(t)))
	board, other := models.Processes, w.open(t).Processes
	names := func() []string {
		t.Helper()
		all, err := board.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range all {
			names = append(names, one.Name)
		}
		return names
	}
	run := func(board *projections.ProcessBoard, name string) (end func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		described := make(chan struct{}, 100)
		go func() {
			ended <- board.Run(ctx, func() projections.Process {
				described <- struct{}{}
				return projections.Process{Name: name, Roles: []string{"keeper"}, StartedAt: t0, Slots: []projections.ProcessSlots{{Kind: "render", Slots: 2}}}
			}, func(err error) { t.Error(err) })
		}()
		<-described
		return func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	seen := func(what string, want ...string) {
		t.Helper()
		eventually(t, what, func() bool { return cmp.Equal(want, names()) })
	}
	endA := run(board, "a")
	endB := run(other, "b")
	seen("both run", "a", "b")
	all, err := board.List(t.Context())
	if err != nil || len(all) != 2 || all[0].Slots[0].Slots != 2 || !all[0].StartedAt.Equal(t0) || all[0].At.IsZero() {
		t.Errorf("%+v %v", all, err)
	}
	endA()
	seen("one has ended", "b")
	w.clock.turn(2 * time.Minute)
	seen("the other has not been heard of for two minutes")
	endC := run(board, "c")
	seen("a third runs", "c")
	endC()
	endB()
}
