package eventstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// What is appended, and what is refused, is told once for each call.
func TestObserve(t *testing.T) {
	t.Parallel()
	var told []eventstore.Written
	store := eventstore.Observe(memory.New(), func(_ context.Context, w eventstore.Written) { told = append(told, w) })
	event := eventstore.Proposed{ID: uuid.New(), Type: "Seen", Data: []byte(`{}`), Metadata: []byte(`{"v":1}`)}
	if _, err := store.Append(t.Context(), "movie-a", eventstore.NoStream, event); err != nil {
		t.Fatal(err)
	}
	other := event
	other.ID = uuid.New()
	if _, err := store.Append(t.Context(), "movie-a", eventstore.NoStream, other); !errors.Is(err, eventstore.ErrConflict) {
		t.Fatalf("an append at the wrong revision: %v", err)
	}
	if len(told) != 2 || told[0].Err != nil || told[0].Stream != "movie-a" || told[0].Events[0].ID != event.ID || !errors.Is(told[1].Err, eventstore.ErrConflict) {
		t.Errorf("told %+v", told)
	}
}
