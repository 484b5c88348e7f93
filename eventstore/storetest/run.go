// Package storetest holds the contract of eventstore.Store as tests, which every implementation runs. They may also run against a
// server that others write to. So each test uses streams of a category of its own, and relies on nothing in which servers differ,
// such as positions without gaps.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"moviola/eventstore"
)

// patience is the time limit of one wait for a notice; a whole test has three times as long.
const patience = 2 * time.Minute

// Run tests the stores that open returns. Every test calls open; its stores may share a log.
func Run(t *testing.T, open func(t *testing.T) eventstore.Store) {
	t.Helper()
	tests := []struct {
		name string
		test func(*fixture)
	}{
		{"append to a new stream", testAppendNew},
		{"append several at once", testAppendSeveral},
		{"append nothing", testAppendNothing},
		{"append at another revision", testConflict},
		{"append again", testIdempotent},
		{"append almost the same again", testNotIdempotent},
		{"append at the same time", testRace},
		{"append up to the limit", testSize},
		{"read what was appended", testRoundTrip},
		{"read a stream", testReadStream},
		{"read a missing stream", testReadMissing},
		{"read a long stream", testReadLong},
		{"stop reading", testReadBreak},
		{"read the log forwards", testReadAllForwards},
		{"read the log backwards", testReadAllBackwards},
		{"leave out system events", testSystemEvents},
		{"find the end of the log", testHead},
		{"leave out what metadata says", testMetadata},
		{"discard a stream", testDiscard},
		{"subscribe from the start", testSubscribeStart},
		{"subscribe after a position", testSubscribeAfter},
		{"subscribe without a filter", testSubscribeUnfiltered},
		{"subscribe to several categories", testSubscribeCategories},
		{"resume at every position", testSubscribeResume},
		{"resume at every checkpoint", testSubscribeCheckpoints},
		{"receive what comes", testSubscribeLive},
		{"receive while many append", testSubscribeBusy},
		{"end with the context", testContext},
		{"close a subscription", testSubscriptionClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
			t.Cleanup(cancel)
			tt.test(&fixture{T: t, ctx: ctx, store: open(t), category: "test" + strings.ReplaceAll(uuid.NewString(), "-", "")})
		})
	}
}

// fixture is a test with its store and a category that nobody else uses.
type fixture struct {
	*testing.T
	ctx      context.Context
	store    eventstore.Store
	category string
}

func (f *fixture) stream(id string) string { return f.category + "-" + id }

// proposed makes n events with random ids.
func proposed(n int) []eventstore.Proposed {
	events := make([]eventstore.Proposed, n)
	for i := range events {
		id := uuid.New()
		events[i] = eventstore.Proposed{
			ID: id, Type: "Tested", Data: fmt.Appendf(nil, `{"n":%d,"id":%q}`, i, id), Metadata: []byte(`{"v":1}`),
		}
	}
	return events
}

// mustAppend appends events at the revision where the stream is expected to be.
func (f *fixture) mustAppend(stream string, expected eventstore.Revision, events ...eventstore.Proposed) eventstore.Appended {
	f.Helper()
	appended, err := f.store.Append(f.ctx, stream, expected, events...)
	if err != nil {
		f.Fatalf("append to %s at %d: %v", stream, expected, err)
	}
	return appended
}

// mustReadStream returns a stream's events.
func (f *fixture) mustReadStream(stream string, dir eventstore.Direction, from eventstore.Revision) []eventstore.Recorded {
	f.Helper()
	var events []eventstore.Recorded
	for recorded, err := range f.store.ReadStream(f.ctx, stream, dir, from) {
		if err != nil {
			f.Fatalf("read %s from %d: %v", stream, from, err)
		}
		events = append(events, recorded)
	}
	return events
}

// mustReadAll returns the events of the test's category in the log.
func (f *fixture) mustReadAll(dir eventstore.Direction, from eventstore.Position) []eventstore.Recorded {
	f.Helper()
	var events []eventstore.Recorded
	for recorded, err := range f.store.ReadAll(f.ctx, dir, from) {
		if err != nil {
			f.Fatalf("read the log from %v: %v", from, err)
		}
		if strings.HasPrefix(recorded.Stream, f.category+"-") {
			events = append(events, recorded)
		}
	}
	return events
}

func (f *fixture) wantIDs(what string, want []eventstore.Proposed, got []eventstore.Recorded) {
	f.Helper()
	if diff := cmp.Diff(idsOf(want), recordedIDs(got), cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("%s: events (-want +got):\n%s", what, diff)
	}
}

// wantConflict checks that an append was refused because of where the stream is.
func (f *fixture) wantConflict(err error, want eventstore.ConflictError) {
	f.Helper()
	var conflict *eventstore.ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, eventstore.ErrConflict) {
		f.Fatalf("the error is %v, want a conflict", err)
	}
	if diff := cmp.Diff(want, *conflict); diff != "" {
		f.Errorf("conflict (-want +got):\n%s", diff)
	}
}

func idsOf(events []eventstore.Proposed) []uuid.UUID {
	ids := make([]uuid.UUID, len(events))
	for i, event := range events {
		ids[i] = event.ID
	}
	return ids
}

func recordedIDs(events []eventstore.Recorded) []uuid.UUID {
	ids := make([]uuid.UUID, len(events))
	for i, event := range events {
		ids[i] = event.ID
	}
	return ids
}

func backwards[T any](events []T) []T {
	turned := make([]T, 0, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		turned = append(turned, events[i])
	}
	return turned
}
