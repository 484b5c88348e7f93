package chores_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	"moviola/handlers/background/chores"
)

// TestScavenge says that a scavenge is due when truncated events have used room for 30 days, and no longer after a scavenge; of an event
// store that removes them by itself, never.
func TestScavenge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := memory.New(memory.WithClock(clock))
	archive := archived.New(store, historyFiles{commandstest.NewFiles(clock)}, "movie", "ledger")
	add := func(stream string, at eventstore.Revision, n int) {
		t.Helper()
		for i := range n {
			event := eventstore.Proposed{ID: uuid.New(), Type: "$scavengeCompleted", Data: []byte(`{}`)}
			if _, err := store.Append(t.Context(), stream, at+eventstore.Revision(i), event); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(through eventstore.Revision) {
		t.Helper()
		if _, err := archive.ArchivePrefixes(t.Context(), []archived.Prefix{{Stream: "ledger-a", Through: through}}); err != nil {
			t.Fatal(err)
		}
	}
	own, waiting, lines := false, -1, 0
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	logger.AddHook(counting{&lines})
	chore := chores.Scavenge(chores.ScavengeConfig{
		Log: store, Truncated: archive.Truncated, Waiting: func(events int) { waiting = events }, Logger: logger,
		Discards: func(context.Context) (bool, error) { return own, nil },
	})
	want := func(when string, events, said int) {
		t.Helper()
		lines = 0
		if err := chore.Do(t.Context(), now); err != nil || waiting != events || lines != said {
			t.Errorf("%s: %d events wait, %d lines, %v; want %d and %d", when, waiting, lines, err, events, said)
		}
	}
	add("ledger-a", eventstore.NoStream, 20)
	want("nothing was truncated", 0, 0)
	cut(9)
	want("truncated just now", 10, 0)
	now = now.Add(29 * 24 * time.Hour)
	cut(14)
	want("29 days later, more was truncated", 15, 0)
	now = now.Add(24 * time.Hour)
	want("after 30 days", 15, 1)
	want("a day later it says so again", 15, 1)
	add("$scavenges", eventstore.NoStream, 1)
	want("after a scavenge", 0, 0)
	now = now.Add(time.Hour)
	cut(16)
	now = now.Add(31 * 24 * time.Hour)
	want("what was truncated since", 2, 1)
	own = true
	want("an event store that removes them", 0, 0)
}
