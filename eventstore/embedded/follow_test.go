package embedded_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"moviola/eventstore/embedded"
)

// follower reads an official subscription in the background, so that a test can wait for its next message with a deadline.
type follower struct {
	*testing.T
	messages chan *esdb.SubscriptionEvent
}

func (h *harness) followed(sub *esdb.Subscription, err error) *follower {
	h.Helper()
	if err != nil {
		h.Fatalf("subscribe: %v", err)
	}
	f := &follower{T: h.T, messages: make(chan *esdb.SubscriptionEvent)}
	h.Cleanup(func() { _ = sub.Close() })
	go func() {
		for {
			message := sub.Recv()
			select {
			case f.messages <- message:
			case <-h.ctx.Done():
				return
			}
			if message.SubscriptionDropped != nil {
				return
			}
		}
	}()
	return f
}

func (f *follower) next() *esdb.SubscriptionEvent {
	f.Helper()
	select {
	case message := <-f.messages:
		return message
	case <-time.After(patience):
		f.Fatal("the subscription is silent")
		return nil
	}
}

// describe puts a message in a word: an event's stream and revision, a checkpoint's position, or what it says.
func describe(message *esdb.SubscriptionEvent) string {
	switch {
	case message.EventAppeared != nil:
		event := message.EventAppeared.OriginalEvent()
		return fmt.Sprintf("%s@%d", event.StreamID, event.EventNumber)
	case message.CheckPointReached != nil:
		return fmt.Sprintf("checkpoint %d", message.CheckPointReached.Commit)
	case message.CaughtUp != nil:
		return "caught up"
	case message.FellBehind != nil:
		return "fell behind"
	default:
		return "dropped"
	}
}

func (f *follower) want(what string, want ...string) {
	f.Helper()
	var got []string
	for range want {
		got = append(got, describe(f.next()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s: messages (-want +got):\n%s", what, diff)
	}
}

func TestFollow_stream(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	h.mustAppend("b", esdb.NoStream{}, events(1)...)
	tests := map[string]struct {
		stream string
		from   esdb.StreamPosition
		want   []string
	}{
		"from the start":     {"a", esdb.Start{}, []string{"a@0", "a@1", "a@2", "caught up"}},
		"after a revision":   {"a", esdb.Revision(1), []string{"a@2", "caught up"}},
		"from the end":       {"a", esdb.End{}, []string{"caught up"}},
		"beyond the end":     {"b", esdb.Revision(1), []string{"caught up"}},
		"no stream":          {"none", esdb.Start{}, []string{"caught up"}},
		"no stream, the end": {"none", esdb.End{}, []string{"caught up"}},
	}
	followers := map[string]*follower{}
	for name, tt := range tests {
		followers[name] = h.followed(h.client.SubscribeToStream(h.ctx, tt.stream, esdb.SubscribeToStreamOptions{From: tt.from}))
		followers[name].want(name, tt.want...)
	}
	h.mustAppend("none", esdb.NoStream{}, events(1)...)
	h.mustAppend("b", esdb.Any{}, events(2)...)
	h.mustAppend("a", esdb.Any{}, events(1)...)
	for name, tt := range tests {
		switch {
		case name == "beyond the end":
			followers[name].want(name+", live", "b@2") // event 1 is not after revision 1
		case tt.stream == "a":
			followers[name].want(name+", live", "a@3")
		default:
			followers[name].want(name+", live", "none@0")
		}
	}
}

// TestFollow_deletedStream follows a stream that is deleted and comes back.
func TestFollow_deletedStream(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	if _, err := h.client.DeleteStream(h.ctx, "a", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}}); err != nil {
		t.Fatal(err)
	}
	f := h.followed(h.client.SubscribeToStream(h.ctx, "a", esdb.SubscribeToStreamOptions{From: esdb.Start{}}))
	f.want("while it is deleted", "caught up")
	h.mustAppend("a", esdb.Any{}, events(2)...)
	f.want("after it came back", "a@3", "a@4")
	again := h.followed(h.client.SubscribeToStream(h.ctx, "a", esdb.SubscribeToStreamOptions{From: esdb.Start{}}))
	again.want("from the start", "a@3", "a@4", "caught up")
}

func TestFollow_all(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	all := func(from esdb.AllPosition) *follower {
		return h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{From: from}))
	}
	start, after, end := all(esdb.Start{}), all(esdb.Position{Commit: 1, Prepare: 1}), all(esdb.End{})
	h.mustAppend("b", esdb.NoStream{}, events(1)...) // after the confirmation: nobody may miss it
	skipCaughtUp := func(f *follower, want ...string) {
		t.Helper()
		var got []string
		for len(got) < len(want) {
			if message := describe(f.next()); message != "caught up" {
				got = append(got, message)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
	}
	skipCaughtUp(start, "a@0", "a@1", "b@0")
	skipCaughtUp(after, "a@1", "b@0")
	skipCaughtUp(end, "b@0")
}

// TestFollow_filter tries every kind of filter on a log in which each matches other events.
func TestFollow_filter(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	for i, kind := range []string{"Opened", "Closed", "$system"} {
		event := events(1)[0]
		event.EventType = kind
		h.mustAppend([]string{"door-1", "gate-1", "door-2"}[i], esdb.NoStream{}, event)
	}
	tests := map[string]struct {
		filter esdb.SubscriptionFilter
		want   []string
	}{
		"type prefixes":   {esdb.SubscriptionFilter{Type: esdb.EventFilterType, Prefixes: []string{"X", "Clo"}}, []string{"gate-1@0"}},
		"type regex":      {esdb.SubscriptionFilter{Type: esdb.EventFilterType, Regex: "ed$"}, []string{"door-1@0", "gate-1@0"}},
		"stream prefixes": {esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"door-"}}, []string{"door-1@0", "door-2@0"}},
		"stream regex":    {esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Regex: "^gate|2$"}, []string{"gate-1@0", "door-2@0"}},
		"no system":       {*esdb.ExcludeSystemEventsFilter(), []string{"door-1@0", "gate-1@0"}},
	}
	for name, tt := range tests {
		f := h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: &tt.filter}))
		f.want(name, append(append([]string{"checkpoint 0"}, tt.want...), "checkpoint 3", "caught up")...)
	}
}

// TestFollow_checkpoints counts: one where the subscription starts, one after every interval of events considered, matching or not, and one at the live edge.
func TestFollow_checkpoints(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a-1", esdb.NoStream{}, events(9)...)
	h.mustAppend("b-1", esdb.NoStream{}, events(2)...)
	f := h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{
		From: esdb.Start{}, MaxSearchWindow: 2, CheckpointInterval: 2,
		Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"b-"}},
	}))
	f.want("catching up", "checkpoint 0", "checkpoint 4", "checkpoint 8", "b-1@0", "b-1@1", "checkpoint 11", "caught up")
	h.mustAppend("a-1", esdb.Any{}, events(3)...)
	h.mustAppend("b-1", esdb.Any{}, events(1)...)
	f.want("live", "b-1@2", "checkpoint 15")
	f = h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{
		From: esdb.Start{}, MaxSearchWindow: math.MaxUint32, CheckpointInterval: math.MaxUint32,
		Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"b-"}},
	}))
	f.want("an interval without bound", "checkpoint 0", "b-1@0", "b-1@1", "b-1@2", "checkpoint 15", "caught up")
}

// TestFollow_slow lets subscribers sleep while more is appended than is kept in memory: they are told that they fell
// behind, and miss nothing.
func TestFollow_slow(t *testing.T) {
	t.Parallel()
	server, err := embedded.OpenForgetful(embedded.Config{Dir: t.TempDir()}, 16)
	if err != nil {
		t.Fatal(err)
	}
	h := serveHarness(t, server)
	followers := []*follower{
		h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{From: esdb.Start{}})),
		h.followed(h.client.SubscribeToStream(h.ctx, "a", esdb.SubscribeToStreamOptions{From: esdb.Start{}})),
	}
	for _, f := range followers {
		f.want("an empty log", "caught up")
	}
	const total = 3000 // more than the connection itself holds for a subscriber that sleeps
	for i := 0; i < total; i += 100 {
		h.mustAppend("a", esdb.Any{}, events(100)...)
	}
	for _, f := range followers {
		fellBehind, next := false, uint64(0)
		for next < total {
			message := f.next()
			fellBehind = fellBehind || message.FellBehind != nil
			if message.EventAppeared == nil {
				continue
			}
			if got := message.EventAppeared.OriginalEvent().EventNumber; got != next {
				t.Fatalf("event %d came instead of event %d", got, next)
			}
			next++
		}
		f.want("at the end", "caught up")
		if !fellBehind {
			t.Error("the subscriber was not told that it fell behind")
		}
	}
}

// TestFollow_shutdown ends subscriptions when the server closes, and does not wait for them.
func TestFollow_shutdown(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	f := h.followed(h.client.SubscribeToAll(h.ctx, esdb.SubscribeToAllOptions{From: esdb.Start{}}))
	f.want("an empty log", "caught up")
	began := time.Now()
	if err := closeServer(h.server); err != nil {
		t.Fatal(err)
	}
	f.want("after the server has closed", "dropped")
	if took := time.Since(began); took >= patience { // what it gives calls that do not end
		t.Errorf("closing under a subscription took %v", took)
	}
}
