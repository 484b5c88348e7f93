package storetest

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/eventstore"
)

func testRoundTrip(f *fixture) {
	events := proposed(3)
	events[0].Data, events[0].Metadata = []byte(`{"text":"Ünï→码 \u0000 \"quoted\""}`), []byte(`{"account":"ä"}`)
	events[1].Data, events[1].Metadata = []byte(`{}`), nil
	events[2].Type = "Typ mit Leerzeichen.v2"
	began := time.Now().Add(-time.Minute) // the clocks of other machines may differ
	f.mustAppend(f.stream("a-b-c"), eventstore.NoStream, events...)
	got := f.mustReadStream(f.stream("a-b-c"), eventstore.Forwards, 0)
	var want []eventstore.Recorded
	for i, event := range events {
		want = append(want, eventstore.Recorded{
			ID: event.ID, Stream: f.stream("a-b-c"), Revision: eventstore.Revision(i), Type: event.Type,
			Data: event.Data, Metadata: event.Metadata,
		})
	}
	ignored := cmpopts.IgnoreFields(eventstore.Recorded{}, "Position", "Created")
	if diff := cmp.Diff(want, got, ignored, cmpopts.EquateEmpty()); diff != "" {
		f.Fatalf("events (-want +got):\n%s", diff)
	}
	for i, event := range got {
		if event.Created.Before(began) || event.Created.After(time.Now().Add(time.Minute)) {
			f.Errorf("event %d has the creation time %v, want one of the last minutes", i, event.Created)
		}
		if i > 0 && event.Position.Compare(got[i-1].Position) <= 0 {
			f.Errorf("event %d is at %+v, not after %+v", i, event.Position, got[i-1].Position)
		}
	}
}

func testReadStream(f *fixture) {
	stream := f.stream("a")
	events := proposed(5)
	f.mustAppend(stream, eventstore.NoStream, events...)
	tests := []struct {
		dir  eventstore.Direction
		from eventstore.Revision
		want []eventstore.Proposed
	}{
		{eventstore.Forwards, 0, events},
		{eventstore.Forwards, 2, events[2:]},
		{eventstore.Forwards, 4, events[4:]},
		{eventstore.Forwards, 5, nil},
		{eventstore.Forwards, 99, nil},
		{eventstore.Backwards, -1, backwards(events)},
		{eventstore.Backwards, 4, backwards(events)},
		{eventstore.Backwards, 2, backwards(events[:3])},
		{eventstore.Backwards, 0, events[:1]},
	}
	for _, tt := range tests {
		f.wantIDs(fmt.Sprintf("direction %d from %d", tt.dir, tt.from), tt.want, f.mustReadStream(stream, tt.dir, tt.from))
	}
}

func testReadMissing(f *fixture) {
	f.wantIDs("of a missing stream", nil, f.mustReadStream(f.stream("none"), eventstore.Forwards, 0))
	f.wantIDs("of a missing stream", nil, f.mustReadStream(f.stream("none"), eventstore.Forwards, 7))
	f.wantIDs("of a missing stream", nil, f.mustReadStream(f.stream("none"), eventstore.Backwards, -1))
}

// testReadLong reads more events than any page has.
func testReadLong(f *fixture) {
	stream := f.stream("a")
	events := proposed(1100)
	for i := 0; i < len(events); i += 100 {
		f.mustAppend(stream, eventstore.Revision(i)-1, events[i:i+100]...)
	}
	f.wantIDs("forwards", events, f.mustReadStream(stream, eventstore.Forwards, 0))
	f.wantIDs("backwards", backwards(events), f.mustReadStream(stream, eventstore.Backwards, -1))
}

func testReadBreak(f *fixture) {
	stream := f.stream("a")
	events := proposed(100)
	f.mustAppend(stream, eventstore.NoStream, events...)
	var got []eventstore.Recorded
	for recorded, err := range f.store.ReadStream(f.ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			f.Fatal(err)
		}
		if got = append(got, recorded); len(got) == 3 {
			break
		}
	}
	f.wantIDs("before the reader stopped", events[:3], got)
	for _, err := range f.store.ReadAll(f.ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			f.Fatal(err)
		}
		break
	}
	f.mustAppend(stream, 99, proposed(1)...)
}

func testReadAllForwards(f *fixture) {
	events := f.scatter()
	all := f.mustReadAll(eventstore.Forwards, eventstore.Position{})
	f.wantIDs("from the start", events, all)
	for i, event := range all {
		f.wantIDs(fmt.Sprintf("after event %d", i), events[i+1:], f.mustReadAll(eventstore.Forwards, event.Position))
	}
}

func testReadAllBackwards(f *fixture) {
	events := f.scatter()
	all := f.mustReadAll(eventstore.Backwards, eventstore.Position{})
	f.wantIDs("from the end", backwards(events), all)
	for i, event := range all {
		before := events[:len(events)-1-i]
		f.wantIDs(fmt.Sprintf("before event %d", i), backwards(before), f.mustReadAll(eventstore.Backwards, event.Position))
	}
}

// scatter appends events to several streams in turn and returns them in the order of the log.
func (f *fixture) scatter() []eventstore.Proposed {
	events := proposed(9)
	for i, event := range events {
		f.mustAppend(f.stream(fmt.Sprint(i%3)), eventstore.Revision(i/3)-1, event)
	}
	return events
}

func testSystemEvents(f *fixture) {
	events := proposed(3)
	events[1].Type = "$system"
	f.mustAppend(f.stream("a"), eventstore.NoStream, events...)
	ordinary := []eventstore.Proposed{events[0], events[2]}
	f.wantIDs("of the stream", events, f.mustReadStream(f.stream("a"), eventstore.Forwards, 0))
	f.wantIDs("of the log", ordinary, f.mustReadAll(eventstore.Forwards, eventstore.Position{}))
	f.wantIDs("of the log, backwards", backwards(ordinary), f.mustReadAll(eventstore.Backwards, eventstore.Position{}))
	for _, filter := range []eventstore.Filter{{}, {Categories: []string{f.category}}} {
		sub := f.subscribe(eventstore.Position{}, filter)
		f.wantIDs("of a subscription", ordinary, sub.events(len(ordinary)))
	}
}

// testHead runs while others may append: the end of the log is at least the last position of this test, and never goes back.
func testHead(f *fixture) {
	var last eventstore.Position
	for i := range 3 {
		appended := f.mustAppend(f.stream(fmt.Sprint(i)), eventstore.NoStream, proposed(2)...)
		head, err := f.store.Head(f.Context())
		if err != nil || head.Compare(appended.Position) < 0 || head.Compare(last) < 0 {
			f.Errorf("the end of the log is at %+v, %v; appended at %+v", head, err, appended.Position)
		}
		last = head
	}
}
