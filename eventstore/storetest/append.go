package storetest

import (
	"bytes"
	"errors"
	"sync"

	"moviola/eventstore"
)

func testAppendNew(f *fixture) {
	first := f.mustAppend(f.stream("a"), eventstore.NoStream, proposed(1)...)
	if first.Revision != 0 || first.Position.Compare(eventstore.Position{}) <= 0 {
		f.Errorf("the first event is at %+v, want revision 0 at a position after the start", first)
	}
	second := f.mustAppend(f.stream("a"), 0, proposed(1)...)
	if second.Revision != 1 || second.Position.Compare(first.Position) <= 0 {
		f.Errorf("the second event is at %+v, want revision 1 after %+v", second, first)
	}
}

func testAppendSeveral(f *fixture) {
	events := proposed(5)
	appended := f.mustAppend(f.stream("a"), eventstore.NoStream, events...)
	got := f.mustReadStream(f.stream("a"), eventstore.Forwards, 0)
	f.wantIDs("after one append", events, got)
	if last := got[len(got)-1]; last.Revision != appended.Revision || last.Position != appended.Position {
		f.Errorf("the append ended at %+v, its last event is at revision %d, %+v", appended, last.Revision, last.Position)
	}
}

func testAppendNothing(f *fixture) {
	if _, err := f.store.Append(f.ctx, f.stream("a"), eventstore.NoStream); err == nil {
		f.Error("an append without events succeeded")
	}
	if _, err := f.store.Append(f.ctx, "", eventstore.NoStream, proposed(1)...); err == nil {
		f.Error("an append without a stream succeeded")
	}
	if _, err := f.store.Append(f.ctx, f.stream("a"), -2, proposed(1)...); err == nil {
		f.Error("an append at revision -2 succeeded")
	}
}

func testConflict(f *fixture) {
	stream := f.stream("a")
	events := proposed(3)
	f.mustAppend(stream, eventstore.NoStream, events...)
	for _, expected := range []eventstore.Revision{eventstore.NoStream, 0, 1, 3, 1000} {
		_, err := f.store.Append(f.ctx, stream, expected, proposed(2)...)
		f.wantConflict(err, eventstore.ConflictError{Stream: stream, Expected: expected, Actual: 2})
	}
	_, err := f.store.Append(f.ctx, f.stream("none"), 0, proposed(1)...)
	f.wantConflict(err, eventstore.ConflictError{Stream: f.stream("none"), Expected: 0, Actual: eventstore.NoStream})
	f.wantIDs("after refused appends", events, f.mustReadStream(stream, eventstore.Forwards, 0))
}

func testIdempotent(f *fixture) {
	stream := f.stream("a")
	first, second, third := proposed(2), proposed(1), proposed(3)
	atFirst := f.mustAppend(stream, eventstore.NoStream, first...)
	atSecond := f.mustAppend(stream, 1, second...)
	atThird := f.mustAppend(stream, 2, third...)
	for range 2 {
		for _, again := range []struct {
			expected eventstore.Revision
			events   []eventstore.Proposed
			want     eventstore.Appended
		}{{eventstore.NoStream, first, atFirst}, {1, second, atSecond}, {2, third, atThird}, {2, third[:1], eventstore.Appended{}}} {
			got := f.mustAppend(stream, again.expected, again.events...)
			if again.want != (eventstore.Appended{}) && got != again.want {
				f.Errorf("the repeated append at %d ended at %+v, the first time at %+v", again.expected, got, again.want)
			}
		}
	}
	want := append(append(first, second...), third...)
	f.wantIDs("after repeated appends", want, f.mustReadStream(stream, eventstore.Forwards, 0))
}

func testNotIdempotent(f *fixture) {
	stream := f.stream("a")
	events := proposed(3)
	f.mustAppend(stream, eventstore.NoStream, events...)
	other := proposed(1)[0]
	for name, again := range map[string]struct {
		expected eventstore.Revision
		events   []eventstore.Proposed
	}{
		"the same events at another revision": {0, events},
		"another first event":                 {eventstore.NoStream, []eventstore.Proposed{other, events[1], events[2]}},
		"another event between":               {eventstore.NoStream, []eventstore.Proposed{events[0], other, events[2]}},
		"one event more":                      {eventstore.NoStream, append(events[:3:3], other)},
	} {
		_, err := f.store.Append(f.ctx, stream, again.expected, again.events...)
		if !errors.Is(err, eventstore.ErrConflict) {
			f.Errorf("%s: the error is %v, want a conflict", name, err)
		}
	}
	f.wantIDs("after refused appends", events, f.mustReadStream(stream, eventstore.Forwards, 0))
}

// testRace makes many writers append at the same revision: each time one succeeds, and the others get a conflict.
func testRace(f *fixture) {
	const rounds, rivals = 10, 8
	stream := f.stream("a")
	for round := range rounds {
		expected := eventstore.Revision(round) - 1
		errs := make([]error, rivals)
		var group sync.WaitGroup
		for i := range rivals {
			group.Go(func() { _, errs[i] = f.store.Append(f.ctx, stream, expected, proposed(1)...) })
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, eventstore.ErrConflict):
				f.Fatalf("append at %d: %v", expected, err)
			}
		}
		if won != 1 {
			f.Fatalf("%d of %d appends at revision %d succeeded, want 1", won, rivals, expected)
		}
	}
	if got := len(f.mustReadStream(stream, eventstore.Forwards, 0)); got != rounds {
		f.Errorf("the stream has %d events, want %d", got, rounds)
	}
}

// testSize stays away from the exact limit, because servers compute the size in different ways.
func testSize(f *fixture) {
	const limit = 1 << 20
	payload := func(n int) []byte { return append(append([]byte{'"'}, bytes.Repeat([]byte{'x'}, n-2)...), '"') }
	large, tooLarge, together := proposed(1), proposed(1), proposed(3)
	large[0].Data = payload(limit - 8192)
	tooLarge[0].Data = payload(limit + 1)
	for i := range together {
		together[i].Data = payload(limit/2 + 1)
	}
	f.mustAppend(f.stream("large"), eventstore.NoStream, large...)
	got := f.mustReadStream(f.stream("large"), eventstore.Forwards, 0)
	if len(got) != 1 || !bytes.Equal(got[0].Data, large[0].Data) {
		f.Errorf("a large event does not come back as it was appended")
	}
	for name, events := range map[string][]eventstore.Proposed{"one event": tooLarge, "events together": together} {
		_, err := f.store.Append(f.ctx, f.stream("refused"), eventstore.NoStream, events...)
		if !errors.Is(err, eventstore.ErrTooLarge) || errors.Is(err, eventstore.ErrUnavailable) {
			f.Errorf("%s above the limit: the error is %v, want %v", name, err, eventstore.ErrTooLarge)
		}
	}
	f.wantIDs("of a refused append", nil, f.mustReadStream(f.stream("refused"), eventstore.Forwards, 0))
	f.mustAppend(f.stream("refused"), eventstore.NoStream, proposed(1)...)
}
