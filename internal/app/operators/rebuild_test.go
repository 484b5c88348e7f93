package operators_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/internal/app/operators"
)

// slow is read models whose rebuild ends when it is told to.
type slow struct {
	begun chan struct{}
	end   chan error
}

func (s slow) Rebuild(ctx context.Context, progress func(eventstore.Position), _ ...string) error {
	progress(eventstore.Position{Commit: 50})
	s.begun <- struct{}{}
	select {
	case err := <-s.end:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestRebuilder: one rebuild at a time; its progress and its end are told; it ends with the process.
func TestRebuilder(t *testing.T) {
	t.Parallel()
	models := slow{begun: make(chan struct{}), end: make(chan error)}
	head := func(context.Context) (eventstore.Position, error) { return eventstore.Position{Commit: 200}, nil }
	r := operators.NewRebuilder(models, head, time.Now)
	if last := r.Last(); !last.StartedAt.IsZero() {
		t.Errorf("before the first: %+v", last)
	}
	if !r.Start([]string{"movies"}) {
		t.Fatal("the first is refused")
	}
	<-models.begun
	if last := r.Last(); !last.Running || last.Percent != 25 || len(last.Models) != 1 {
		t.Errorf("while it runs: %+v", last)
	}
	if r.Start(nil) {
		t.Error("a second is begun while the first runs")
	}
	models.end <- errors.New("the disk is full")
	deadline := time.After(time.Minute)
	for r.Last().Running {
		select {
		case <-deadline:
			t.Fatal("it does not end")
		default:
		}
	}
	if last := r.Last(); last.Message != "the disk is full" || last.EndedAt.IsZero() || last.Percent != 25 {
		t.Errorf("after its end: %+v", last)
	}
	if !r.Start(nil) {
		t.Error("another is refused after the first has ended")
	}
	<-models.begun
	r.Close()
	if last := r.Last(); last.Running || last.Message == "" {
		t.Errorf("after the process: %+v", last)
	}
	if r.Start(nil) {
		t.Error("one is begun after the process")
	}
}
