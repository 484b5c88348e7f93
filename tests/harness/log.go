package harness

import (
	"context"
	"encoding/json"
	"testing"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
)

// Log reads the installation's events directly, not through projections, with a client of its own.
type Log struct {
	t     testing.TB
	store eventstore.Store
}

// OpenLog connects to an event store that listens on a loopback address.
func OpenLog(t testing.TB, addr string) *Log {
	t.Helper()
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		if err := store.Close(ctx); err != nil {
			t.Errorf("close the event store client: %v", err)
		}
	})
	return &Log{t: t, store: store}
}

// Store returns the client, for calls that Log has no method for.
func (l *Log) Store() eventstore.Store { return l.store }

// Stream returns the events of one stream, oldest first.
func (l *Log) Stream(name string) []eventstore.Recorded {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	var events []eventstore.Recorded
	for event, err := range l.store.ReadStream(ctx, name, eventstore.Forwards, 0) {
		if err != nil {
			l.t.Fatalf("read %s: %v", name, err)
		}
		events = append(events, event)
	}
	return events
}

// Count returns how many events of each type a stream has.
func (l *Log) Count(name string) map[string]int {
	l.t.Helper()
	count := map[string]int{}
	for _, event := range l.Stream(name) {
		count[event.Type]++
	}
	return count
}

// Field reads a text field of an event's payload.
func Field(t testing.TB, event eventstore.Recorded, name string) string {
	t.Helper()
	var payload map[string]any
	if err := json.Unmarshal(event.Data, &payload); err != nil {
		t.Fatalf("payload of %s: %v", event.Type, err)
	}
	value, ok := payload[name].(string)
	if !ok {
		t.Fatalf("%s has no text %q", event.Type, name)
	}
	return value
}

// AccountOf is the account that a movie's first event names.
func (l *Log) AccountOf(project string) string {
	l.t.Helper()
	events := l.Stream("movie-" + project)
	if len(events) == 0 {
		l.t.Fatalf("movie %s has no events", project)
	}
	return Field(l.t, events[0], "account")
}
