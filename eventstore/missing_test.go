package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// TestMissing: whatever a subscription with a filter has to bring or to tell of is missed, and nothing else.
func TestMissing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := memory.New()
	log := eventstore.NewLog(store, eventstore.NewCodec())
	n := 0
	put := func(category string) eventstore.Position {
		t.Helper()
		n++
		appended, err := log.Append(ctx, fmt.Sprintf("%s-%d", category, n), eventstore.NoStream, eventstore.Meta{Time: time.Now()}, account.Opened{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return appended.Position
	}
	filter := eventstore.Filter{Categories: []string{key.StreamCategory}}
	want := func(what string, after, missing eventstore.Position) {
		t.Helper()
		got, err := eventstore.Missing(ctx, store, after, filter)
		if err != nil || got != missing {
			t.Errorf("%s: %v, %v; want %v", what, got, err, missing)
		}
	}
	none := eventstore.Position{}
	want("an empty log", none, none)
	first := put("other")
	want("an event that does not match", none, none)
	hit := put(key.StreamCategory)
	want("one that does", first, hit)
	want("the same, handled", hit, none)
	after := put("other")
	want("behind others", first, hit)
	want("others behind it", hit, none)
	for range 1022 {
		put("other")
	}
	want("as many as a subscription may keep quiet about", hit, none)
	last := put("other")
	want("more than that", hit, after)
	want("all told of", last, none)
	if end, err := log.End(ctx); err != nil || end != last {
		t.Errorf("the log ends at %v, %v; want %v", end, err, last)
	}
}

func TestMissing_Away(t *testing.T) {
	t.Parallel()
	store := memory.New()
	store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return eventstore.ErrUnavailable }})
	if _, err := eventstore.Missing(t.Context(), store, eventstore.Position{}, eventstore.Filter{}); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("without a store: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := eventstore.NewLog(store, eventstore.NewCodec()).End(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the end of a log that is away: %v", err)
	}
}
