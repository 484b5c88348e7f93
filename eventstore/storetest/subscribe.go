package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"moviola/eventstore"
)

// following is a subscription under test. It checks rules that hold for every notice.
type following struct {
	*fixture
	inner    eventstore.Subscription
	last     eventstore.Position
	caughtUp bool
}

// subscribe begins a subscription that is closed with the test.
func (f *fixture) subscribe(after eventstore.Position, filter eventstore.Filter) *following {
	f.Helper()
	sub, err := f.store.Subscribe(f.ctx, after, filter)
	if err != nil {
		f.Fatalf("subscribe after %+v: %v", after, err)
	}
	f.Cleanup(sub.Close)
	return &following{fixture: f, inner: sub, last: after}
}

func (f *fixture) own() eventstore.Filter { return eventstore.Filter{Categories: []string{f.category}} }

// next returns the next notice.
func (s *following) next() eventstore.Notice {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	notice, err := s.inner.Next(ctx)
	if err != nil {
		s.Fatalf("wait for the next notice: %v", err)
	}
	set := 0
	for _, is := range []bool{notice.Event != nil, notice.Checkpoint != nil, notice.CaughtUp, notice.FellBehind} {
		if is {
			set++
		}
	}
	if set != 1 {
		s.Fatalf("notice %+v has %d of its fields set, want 1", notice, set)
	}
	switch {
	case notice.Event != nil:
		if notice.Event.Position.Compare(s.last) <= 0 {
			s.Fatalf("event %d of %s at %+v came after %+v", notice.Event.Revision, notice.Event.Stream, notice.Event.Position, s.last)
		}
		s.last = notice.Event.Position
	case notice.Checkpoint != nil:
		if notice.Checkpoint.Compare(s.last) < 0 {
			s.Fatalf("checkpoint %+v came after %+v", *notice.Checkpoint, s.last)
		}
		s.last = *notice.Checkpoint
	case notice.CaughtUp:
		s.caughtUp = true
	}
	return notice
}

// events returns the next n events of the test's category.
func (s *following) events(n int) []eventstore.Recorded {
	s.Helper()
	var events []eventstore.Recorded
	for len(events) < n {
		if event := s.next().Event; event != nil && strings.HasPrefix(event.Stream, s.category) {
			events = append(events, *event)
		}
	}
	return events
}

// untilCaughtUp returns the events of the test's category up to the live edge.
func (s *following) untilCaughtUp() []eventstore.Recorded {
	s.Helper()
	var events []eventstore.Recorded
	for !s.caughtUp {
		if event := s.next().Event; event != nil && strings.HasPrefix(event.Stream, s.category) {
			events = append(events, *event)
		}
	}
	return events
}

func testSubscribeStart(f *fixture) {
	events := f.scatter()
	f.mustAppend("other"+f.category+"-a", eventstore.NoStream, proposed(1)...)
	f.mustAppend(f.category+"more-a", eventstore.NoStream, proposed(1)...)
	f.wantIDs("up to the live edge", events, f.subscribe(eventstore.Position{}, f.own()).untilCaughtUp())
}

func testSubscribeAfter(f *fixture) {
	events := f.scatter()
	all := f.mustReadAll(eventstore.Forwards, eventstore.Position{})
	f.wantIDs("after the fourth", events[4:], f.subscribe(all[3].Position, f.own()).untilCaughtUp())
	f.wantIDs("after the last", nil, f.subscribe(all[len(all)-1].Position, f.own()).untilCaughtUp())
}

func testSubscribeUnfiltered(f *fixture) {
	before := f.mustAppend(f.stream("before"), eventstore.NoStream, proposed(1)...)
	events := f.scatter()
	sub := f.subscribe(before.Position, eventstore.Filter{})
	f.wantIDs("after the first append", events, sub.untilCaughtUp())
	more := proposed(2)
	f.mustAppend(f.stream("before"), 0, more...)
	f.wantIDs("live", more, sub.events(2))
}

func testSubscribeCategories(f *fixture) {
	other := f.category + "other"
	events := proposed(4)
	f.mustAppend(f.stream("a"), eventstore.NoStream, events[0])
	f.mustAppend(other+"-a", eventstore.NoStream, events[1])
	f.mustAppend(f.category+"third-a", eventstore.NoStream, proposed(1)...)
	f.mustAppend(f.stream("b"), eventstore.NoStream, events[2])
	f.mustAppend(other+"-a", 0, events[3])
	sub := f.subscribe(eventstore.Position{}, eventstore.Filter{Categories: []string{f.category, other}})
	f.wantIDs("of two categories", events, sub.untilCaughtUp())
}

// testSubscribeResume subscribes again after every notice, as a reader does after a crash: no event is missing, none comes twice.
func testSubscribeResume(f *fixture) {
	events := f.scatter()
	var got []eventstore.Recorded
	after := eventstore.Position{}
	for len(got) < len(events) {
		sub := f.subscribe(after, f.own())
		for sub.last == after { // a store may send a checkpoint at the start of the subscription
			if event := sub.next().Event; event != nil {
				got = append(got, *event)
			}
		}
		after = sub.last
		sub.inner.Close()
	}
	f.wantIDs("over all subscriptions", events, got)
}

// testSubscribeCheckpoints: a store may send a checkpoint at the start of a subscription, but none before the start. A
// subscription that begins at a checkpoint misses no event and repeats none.
func testSubscribeCheckpoints(f *fixture) {
	events := f.scatter()
	start := f.subscribe(eventstore.Position{}, f.own()).events(len(events))[len(events)/2]
	want := events[len(events)/2+1:]
	sub := f.subscribe(start.Position, f.own())
	var got []eventstore.Recorded
	for len(got) < len(want) {
		notice := sub.next()
		switch {
		case notice.Event != nil:
			got = append(got, *notice.Event)
		case notice.Checkpoint != nil:
			if notice.Checkpoint.Compare(start.Position) < 0 {
				f.Fatalf("checkpoint %+v is before the start %+v", *notice.Checkpoint, start.Position)
			}
			rest := want[len(got):]
			f.wantIDs("from a checkpoint", rest, f.subscribe(*notice.Checkpoint, f.own()).events(len(rest)))
		}
	}
	f.wantIDs("all of them", want, got)
}

func testSubscribeLive(f *fixture) {
	sub := f.subscribe(eventstore.Position{}, f.own())
	f.wantIDs("before anything was appended", nil, sub.untilCaughtUp())
	for i := range 5 {
		events := proposed(3)
		f.mustAppend(f.stream(fmt.Sprint(i)), eventstore.NoStream, events...)
		f.wantIDs("live", events, sub.events(3))
	}
}

// testSubscribeBusy follows the log while others append: from the start, and from a position in between.
func testSubscribeBusy(f *fixture) {
	const writers, appends, size = 6, 60, 3
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range appends {
				if _, err := f.store.Append(f.ctx, f.stream(fmt.Sprint(w)), eventstore.Revision(i*size)-1, proposed(size)...); err != nil {
					f.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	whole := f.subscribe(eventstore.Position{}, f.own()).events(writers * appends * size)
	group.Wait()
	f.wantOrder(whole)
	all := f.mustReadAll(eventstore.Forwards, eventstore.Position{})
	rest := f.subscribe(all[len(all)/2].Position, f.own()).events(len(all) - len(all)/2 - 1)
	for i, event := range rest {
		if event.ID != all[len(all)/2+1+i].ID {
			f.Fatalf("event %d after the middle is not the one that the log has there", i)
		}
	}
}

// wantOrder checks that each stream's events come once each and in the order of their revisions.
func (f *fixture) wantOrder(events []eventstore.Recorded) {
	f.Helper()
	next := map[string]eventstore.Revision{}
	for _, event := range events {
		if event.Revision != next[event.Stream] {
			f.Fatalf("event %d of %s came instead of event %d", event.Revision, event.Stream, next[event.Stream])
		}
		next[event.Stream]++
	}
}

func testContext(f *fixture) {
	ended, cancel := context.WithCancel(f.ctx)
	cancel()
	want := func(what string, err error) {
		f.Helper()
		if !errors.Is(err, context.Canceled) {
			f.Errorf("%s under an ended context: the error is %v, want %v", what, err, context.Canceled)
		}
	}
	_, err := f.store.Append(ended, f.stream("a"), eventstore.NoStream, proposed(1)...)
	want("append", err)
	for _, err := range f.store.ReadStream(ended, f.stream("a"), eventstore.Forwards, 0) {
		want("read a stream", err)
	}
	for _, err := range f.store.ReadAll(ended, eventstore.Forwards, eventstore.Position{}) {
		want("read the log", err)
	}
	_, err = f.store.Subscribe(ended, eventstore.Position{}, f.own())
	want("subscribe", err)
	_, err = f.subscribe(eventstore.Position{}, f.own()).inner.Next(ended)
	want("wait for a notice", err)

	life, end := context.WithCancel(f.ctx)
	sub, err := f.store.Subscribe(life, eventstore.Position{}, f.own())
	if err != nil {
		f.Fatal(err)
	}
	defer sub.Close()
	context.AfterFunc(f.ctx, sub.Close)
	go end()
	for err == nil {
		_, err = sub.Next(f.ctx)
	}
	want("follow the log", err)
}

func testSubscriptionClose(f *fixture) {
	sub := f.subscribe(eventstore.Position{}, f.own())
	sub.untilCaughtUp()
	waiting := make(chan error)
	go func() {
		_, err := sub.inner.Next(f.ctx)
		waiting <- err
	}()
	sub.inner.Close()
	sub.inner.Close()
	if err := <-waiting; err == nil || errors.Is(err, context.Canceled) || errors.Is(err, eventstore.ErrUnavailable) {
		f.Errorf("Next on a closed subscription: the error is %v, want one of its own", err)
	}
	if _, err := sub.inner.Next(f.ctx); err == nil {
		f.Error("Next after Close succeeded")
	}
}
