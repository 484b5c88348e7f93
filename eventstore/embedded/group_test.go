package embedded_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
)

// patientGroup returns settings by which nothing comes again in the time of a test, and every ack is a checkpoint.
func patientGroup() *esdb.PersistentSubscriptionSettings {
	settings := esdb.SubscriptionSettingsDefault()
	settings.MessageTimeout = int32((10 * time.Minute).Milliseconds())
	settings.CheckpointLowerBound, settings.CheckpointUpperBound = 1, 1
	return &settings
}

func (h *harness) mustGroup(stream, group string, options esdb.PersistentStreamSubscriptionOptions) {
	h.Helper()
	if options.Settings == nil {
		options.Settings = patientGroup()
	}
	if options.StartFrom == nil {
		options.StartFrom = esdb.Start{}
	}
	if err := h.client.CreatePersistentSubscription(h.ctx, stream, group, options); err != nil {
		h.Fatal(err)
	}
}

// consume connects to a group.
func (h *harness) consume(stream, group string, buffer uint32) *esdb.PersistentSubscription {
	h.Helper()
	options := esdb.SubscribeToPersistentSubscriptionOptions{BufferSize: buffer}
	connect := func() (*esdb.PersistentSubscription, error) {
		if stream == "$all" {
			return h.client.SubscribeToPersistentSubscriptionToAll(h.ctx, group, options)
		}
		return h.client.SubscribeToPersistentSubscription(h.ctx, stream, group, options)
	}
	consumer, err := connect()
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = consumer.Close() })
	return consumer
}

// next receives so many events.
func next(t *testing.T, consumer *esdb.PersistentSubscription, count int) (events []*esdb.ResolvedEvent) {
	t.Helper()
	tooLate := time.AfterFunc(patience, func() { _ = consumer.Close() })
	defer tooLate.Stop()
	for range count {
		got := consumer.Recv()
		if got.EventAppeared == nil {
			t.Fatalf("dropped after %d events: %+v", len(events), got.SubscriptionDropped)
		}
		events = append(events, got.EventAppeared.Event)
	}
	return events
}

// places are the streams and revisions of events.
func places(events []*esdb.ResolvedEvent) (at []string) {
	for _, event := range events {
		at = append(at, fmt.Sprintf("%d@%s", event.Event.EventNumber, event.Event.StreamID))
	}
	return at
}

func wantPlaces(t *testing.T, what string, got []*esdb.ResolvedEvent, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, places(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestPersistent_restart acks, ends the server and starts it again: the group goes on behind its checkpoint.
func TestPersistent_restart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := newHarness(t, embedded.Config{Dir: dir})
	first.mustAppend("a", esdb.NoStream{}, events(6)...)
	first.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{StartFrom: esdb.Revision(1)})
	consumer := first.consume("a", "g", 3)
	got := next(t, consumer, 3)
	wantPlaces(t, "from revision 1", got, "1@a", "2@a", "3@a")
	if err := consumer.Ack(got[0], got[2]); err != nil {
		t.Fatal(err)
	}
	wantPlaces(t, "in place of those", next(t, consumer, 2), "4@a", "5@a") // the acks have arrived
	if err := closeServer(first.server); err != nil {
		t.Fatal(err)
	}
	second := newHarness(t, embedded.Config{Dir: dir})
	wantPlaces(t, "behind the checkpoint", next(t, second.consume("a", "g", 10), 4), "2@a", "3@a", "4@a", "5@a")
}

// TestPersistent_park parks events, replays some and then all of them.
func TestPersistent_park(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(4)...)
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	consumer := h.consume("a", "g", 10)
	got := next(t, consumer, 4)
	if err := consumer.Nack("cannot", esdb.NackActionPark, got...); err != nil {
		t.Fatal(err)
	}
	parkedCount := func(want int64) {
		t.Helper()
		h.until(fmt.Sprintf("%d parked", want), func() bool {
			info, err := h.client.GetPersistentSubscriptionInfo(h.ctx, "a", "g", esdb.GetPersistentSubscriptionOptions{})
			return err == nil && info.Stats.ParkedMessagesCount == want
		})
	}
	parkedCount(4)
	if err := h.client.ReplayParkedMessages(h.ctx, "a", "g", esdb.ReplayParkedMessagesOptions{StopAt: 1}); err != nil {
		t.Fatal(err)
	}
	again := next(t, consumer, 1)
	wantPlaces(t, "replayed to 1", again, "0@a")
	if link := again[0].Link; link == nil || link.StreamID != "$persistentsubscription-a::g-parked" {
		t.Errorf("it came by %+v", link)
	}
	if err := consumer.Ack(again...); err != nil {
		t.Fatal(err)
	}
	parkedCount(3)
	if err := h.client.ReplayParkedMessages(h.ctx, "a", "g", esdb.ReplayParkedMessagesOptions{}); err != nil {
		t.Fatal(err)
	}
	rest := next(t, consumer, 3)
	wantPlaces(t, "replayed", rest, "1@a", "2@a", "3@a")
	if err := consumer.Nack("still not", esdb.NackActionPark, rest[0]); err != nil {
		t.Fatal(err)
	}
	if err := consumer.Ack(rest[1:]...); err != nil {
		t.Fatal(err)
	}
	parkedCount(1) // parked anew, and the three that were replayed are gone
	if err := h.client.DeletePersistentSubscription(h.ctx, "a", "g", esdb.DeletePersistentSubscriptionOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.read("$persistentsubscription-a::g-parked", esdb.ReadStreamOptions{}, 10); err == nil {
		t.Error("what a deleted group has parked is still there")
	}
}

// TestPersistent_replayedAnew asks for a replay while the messages of the one before are removed from the parked stream.
func TestPersistent_replayedAnew(t *testing.T) {
	t.Parallel()
	var held atomic.Bool
	free := make(chan struct{})
	server, err := embedded.OpenFaulty(embedded.Config{Dir: t.TempDir()}, func() error {
		if held.Load() {
			<-free
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h := serveHarness(t, server)
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	consumer := h.consume("a", "g", 10)
	if err := consumer.Nack("cannot", esdb.NackActionPark, next(t, consumer, 2)...); err != nil {
		t.Fatal(err)
	}
	info := func() (parked, unanswered int64) {
		info, err := h.client.GetPersistentSubscriptionInfo(h.ctx, "a", "g", esdb.GetPersistentSubscriptionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return info.Stats.ParkedMessagesCount, info.Stats.TotalInFlightMessages
	}
	h.until("both parked", func() bool { parked, _ := info(); return parked == 2 })
	if err := h.client.ReplayParkedMessages(h.ctx, "a", "g", esdb.ReplayParkedMessagesOptions{StopAt: 1}); err != nil {
		t.Fatal(err)
	}
	first := next(t, consumer, 1)
	held.Store(true)
	if err := consumer.Ack(first...); err != nil {
		t.Fatal(err)
	}
	h.until("the first answered", func() bool { _, unanswered := info(); return unanswered == 0 })
	err = h.client.ReplayParkedMessages(h.ctx, "a", "g", esdb.ReplayParkedMessagesOptions{})
	held.Store(false)
	close(free)
	if err != nil {
		t.Fatal(err)
	}
	wantPlaces(t, "replayed after that", next(t, consumer, 1), "1@a")
}

// TestPersistent_unknownAction: a consumer that does not say what to do with an event gets it again.
func TestPersistent_unknownAction(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	for range 2 { // an empty parked stream can be replayed, and again
		if err := h.client.ReplayParkedMessages(h.ctx, "a", "g", esdb.ReplayParkedMessagesOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	consumer := h.consume("a", "g", 1)
	got := next(t, consumer, 1)
	for range 2 {
		if err := consumer.Nack("", esdb.NackActionUnknown, got...); err != nil {
			t.Fatal(err)
		}
		got = next(t, consumer, 1)
		wantPlaces(t, "again", got, "0@a")
	}
	if err := consumer.Ack(got...); err != nil {
		t.Fatal(err)
	}
	wantPlaces(t, "then", next(t, consumer, 1), "1@a")
}

// TestPersistent_anew: of a group that was deleted nothing is left, and one of its name begins where it is told to.
func TestPersistent_anew(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	for range 2 {
		h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
		consumer := h.consume("a", "g", 3)
		got := next(t, consumer, 3)
		wantPlaces(t, "from the start", got, "0@a", "1@a", "2@a")
		if err := consumer.Ack(got[:2]...); err != nil {
			t.Fatal(err)
		}
		if err := consumer.Nack("", esdb.NackActionPark, got[2]); err != nil {
			t.Fatal(err)
		}
		h.until("a checkpoint", func() bool {
			info, err := h.client.GetPersistentSubscriptionInfo(h.ctx, "a", "g", esdb.GetPersistentSubscriptionOptions{})
			return err == nil && info.Stats.ParkedMessagesCount == 1 && info.Stats.LastCheckpointedEventRevision != nil
		})
		if err := h.client.DeletePersistentSubscription(h.ctx, "a", "g", esdb.DeletePersistentSubscriptionOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits for a condition that comes by the server's own work.
func (h *harness) until(what string, is func() bool) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			h.Fatalf("it did not come to this: %s", what)
		}
	}
}

// TestPersistent_all follows the log with a filter; its own parked events do not come back to it.
func TestPersistent_all(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a-1", esdb.NoStream{}, events(2)...)
	others := events(2)
	others[0].EventType, others[1].EventType = "Other", "Other"
	h.mustAppend("b-1", esdb.NoStream{}, others...)
	for name, filter := range map[string]*esdb.SubscriptionFilter{
		"prefix":      {Type: esdb.StreamFilterType, Prefixes: []string{"b-"}},
		"regex":       {Type: esdb.StreamFilterType, Regex: "^b"},
		"type prefix": {Type: esdb.EventFilterType, Prefixes: []string{"Oth"}},
		"type regex":  {Type: esdb.EventFilterType, Regex: "her$"},
		"none":        nil,
	} {
		err := h.client.CreatePersistentSubscriptionToAll(h.ctx, name, esdb.PersistentAllSubscriptionOptions{
			Settings: patientGroup(), StartFrom: esdb.Start{}, Filter: filter,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := h.client.UpdatePersistentSubscriptionToAll(h.ctx, "regex", esdb.PersistentAllSubscriptionOptions{
		Settings: patientGroup(), StartFrom: esdb.Start{}, // its filter stays
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prefix", "regex", "type prefix", "type regex"} {
		wantPlaces(t, name, next(t, h.consume("$all", name, 10), 2), "0@b-1", "1@b-1")
	}
	none := h.consume("$all", "none", 10)
	got := next(t, none, 4)
	if err := none.Nack("no", esdb.NackActionPark, got...); err != nil {
		t.Fatal(err)
	}
	h.until("4 parked", func() bool {
		info, err := h.client.GetPersistentSubscriptionInfoToAll(h.ctx, "none", esdb.GetPersistentSubscriptionOptions{})
		return err == nil && info.Stats.ParkedMessagesCount == 4
	})
	h.mustAppend("c-1", esdb.NoStream{}, events(1)...)
	wantPlaces(t, "after the parked ones", next(t, none, 1), "0@c-1")
}

// TestPersistent_changes updates, restarts and deletes groups under their consumers.
func TestPersistent_changes(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(2)...)
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	for name, change := range map[string]func() error{
		"update": func() error {
			return h.client.UpdatePersistentSubscription(h.ctx, "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: patientGroup()})
		},
		"restart": func() error {
			return h.client.RestartPersistentSubscriptionSubsystem(h.ctx, esdb.RestartPersistentSubscriptionSubsystemOptions{})
		},
	} {
		consumer := h.consume("a", "g", 10)
		wantPlaces(t, name, next(t, consumer, 2), "0@a", "1@a")
		if err := change(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := consumer.Recv(); got.SubscriptionDropped == nil {
			t.Errorf("%s: the consumer is not disconnected: %+v", name, got)
		}
	}
	limited := patientGroup()
	limited.MaxSubscriberCount = 1
	h.mustGroup("a", "one", esdb.PersistentStreamSubscriptionOptions{Settings: limited})
	h.consume("a", "one", 1)
	_, err := h.client.SubscribeToPersistentSubscription(h.ctx, "a", "one", esdb.SubscribeToPersistentSubscriptionOptions{})
	wantCode(t, "a second consumer of one", err, esdb.ErrorCodeUnknown)

	consumer := h.consume("a", "g", 10)
	if err := h.client.DeletePersistentSubscription(h.ctx, "a", "g", esdb.DeletePersistentSubscriptionOptions{}); err != nil {
		t.Fatal(err)
	}
	next := consumer.Recv()
	for next.EventAppeared != nil {
		next = consumer.Recv()
	}
	_, err = h.client.SubscribeToPersistentSubscription(h.ctx, "a", "g", esdb.SubscribeToPersistentSubscriptionOptions{})
	wantCode(t, "a deleted group", err, esdb.ErrorCodeResourceNotFound)
	_, err = h.client.ListPersistentSubscriptionsForStream(h.ctx, "b", esdb.ListPersistentSubscriptionsOptions{})
	wantCode(t, "a stream without groups", err, esdb.ErrorCodeResourceNotFound)
}

// TestPersistent_refused are groups that cannot be.
func TestPersistent_refused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	for name, change := range map[string]func(*esdb.PersistentSubscriptionSettings){
		"batch not below the buffer": func(s *esdb.PersistentSubscriptionSettings) { s.ReadBatchSize = s.HistoryBufferSize },
		"negative":                   func(s *esdb.PersistentSubscriptionSettings) { s.MaxRetryCount = -1 },
	} {
		settings := patientGroup()
		change(settings)
		err := h.client.CreatePersistentSubscription(h.ctx, "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings})
		wantCode(t, name, err, esdb.ErrorCodeUnknown)
	}
	whoever := createOrders()
	whoever.Options.Settings.ConsumerStrategy = "Whoever"
	if _, err := persistent.NewPersistentSubscriptionsClient(h.conn).Create(h.ctx, whoever); status.Code(err) != codes.Internal {
		t.Errorf("no such strategy: %v", err)
	}
	err := h.client.CreatePersistentSubscriptionToAll(h.ctx, "g", esdb.PersistentAllSubscriptionOptions{
		Settings: patientGroup(), StartFrom: esdb.Position{Commit: 1000, Prepare: 1000},
	})
	wantCode(t, "a position beyond the end", err, esdb.ErrorCodeUnknown)
}

// TestPersistent_unreadable: a start that cannot read its groups fails, and leaves nothing at work that keeps the next one out.
func TestPersistent_unreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if server, err := embedded.OpenGroupless(embedded.Config{Dir: dir}); err == nil || server != nil {
		t.Fatalf("opened without its groups: %v", err)
	}
	h := newHarness(t, embedded.Config{Dir: dir})
	h.mustAppend("a", esdb.NoStream{}, events(1)...)
}
