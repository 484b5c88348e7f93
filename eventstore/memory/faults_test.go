package memory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/memory"
)

func TestFaults_append(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	event := eventstore.Proposed{ID: uuid.New(), Type: "Tested"}
	for name, tt := range map[string]struct {
		lose   func(*memory.Store)
		stored int
	}{
		"before": {func(s *memory.Store) { s.LoseBefore(2) }, 0},
		"after":  {func(s *memory.Store) { s.LoseAfter(2) }, 1},
	} {
		store := memory.New()
		tt.lose(store)
		for range 2 {
			if _, err := store.Append(ctx, "a-1", eventstore.NoStream, event); !errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("%s: the error is %v, want %v", name, err, eventstore.ErrUnavailable)
			}
			if got := count(t, store); got != tt.stored {
				t.Errorf("%s: %d events are stored, want %d", name, got, tt.stored)
			}
		}
		appended, err := store.Append(ctx, "a-1", eventstore.NoStream, event)
		if err != nil || appended.Revision != 0 || count(t, store) != 1 {
			t.Errorf("%s: after the faults: %+v, %v, %d events", name, appended, err, count(t, store))
		}
	}
}

func count(t *testing.T, store eventstore.Store) int {
	t.Helper()
	n := 0
	for _, err := range store.ReadAll(context.Background(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestFaults_read(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	fault := errors.New("a fault")
	store := memory.New()
	store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return fault }})
	for _, err := range store.ReadStream(ctx, "a-1", eventstore.Forwards, 0) {
		if !errors.Is(err, fault) {
			t.Errorf("read a stream: %v", err)
		}
	}
	for _, err := range store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if !errors.Is(err, fault) {
			t.Errorf("read the log: %v", err)
		}
	}
	if _, err := store.Subscribe(ctx, eventstore.Position{}, eventstore.Filter{}); !errors.Is(err, fault) {
		t.Errorf("subscribe: %v", err)
	}
	store.Inject(memory.Faults{})
	if got := count(t, store); got != 0 {
		t.Errorf("an empty store has %d events", got)
	}
}

func TestDropSubscriptions(t *testing.T) {
	t.Parallel()
	store := memory.New()
	sub, err := store.Subscribe(context.Background(), eventstore.Position{}, eventstore.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if notice, err := sub.Next(context.Background()); err != nil || !notice.CaughtUp {
		t.Fatalf("%+v, %v", notice, err)
	}
	store.DropSubscriptions()
	if _, err := sub.Next(context.Background()); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a dropped subscription: %v, want %v", err, eventstore.ErrUnavailable)
	}
}

func TestWithClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	store := memory.New(memory.WithClock(func() time.Time { return now }))
	if _, err := store.Append(context.Background(), "a-1", eventstore.NoStream, eventstore.Proposed{ID: uuid.New(), Type: "T"}); err != nil {
		t.Fatal(err)
	}
	for recorded := range store.ReadStream(context.Background(), "a-1", eventstore.Forwards, 0) {
		if !recorded.Created.Equal(now) {
			t.Errorf("the event was created at %v, want %v", recorded.Created, now)
		}
	}
}
