package embedded_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
)

// patient are settings by which nothing comes again in the time of a test, and every ack is a checkpoint.
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

// TestTombstone deletes a stream for good.
func TestTombstone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir, Scavenge: 10 * time.Millisecond})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	following, err := h.client.SubscribeToStream(h.ctx, "a", esdb.SubscribeToStreamOptions{From: esdb.End{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = following.Close() }()
	if _, err := h.client.TombstoneStream(h.ctx, "a", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Revision(1)}); err == nil {
		t.Error("buried at a revision that it is not at")
	}
	buried, err := h.client.TombstoneStream(h.ctx, "a", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Revision(2)})
	if err != nil || buried.Position.Commit != 4 {
		t.Fatalf("buried at %+v, %v", buried, err)
	}
	for {
		if got := following.Recv(); got.SubscriptionDropped != nil {
			break
		}
	}
	check := func(h *harness) {
		t.Helper()
		_, err := h.append("a", esdb.Any{}, events(1)...)
		wantCode(t, "append", err, esdb.ErrorCodeStreamDeleted)
		_, err = h.append("$$a", esdb.Any{}, events(1)...)
		wantCode(t, "append to the metadata", err, esdb.ErrorCodeStreamDeleted)
		_, err = h.read("a", esdb.ReadStreamOptions{}, 10)
		wantCode(t, "read", err, esdb.ErrorCodeStreamDeleted)
		_, err = h.client.SubscribeToStream(h.ctx, "a", esdb.SubscribeToStreamOptions{})
		wantCode(t, "subscribe", err, esdb.ErrorCodeStreamDeleted)
		_, err = h.client.TombstoneStream(h.ctx, "a", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Any{}})
		wantCode(t, "bury again", err, esdb.ErrorCodeStreamDeleted)
	}
	check(h)
	h.until("only the tombstone left", func() bool {
		read, err := h.client.ReadAll(h.ctx, esdb.ReadAllOptions{From: esdb.Start{}}, 100)
		if err != nil {
			return false
		}
		defer read.Close()
		kinds := []string{}
		for event, err := range received(read) {
			if err != nil {
				return false
			}
			kinds = append(kinds, event.Event.EventType)
		}
		return cmp.Equal(kinds, []string{"$streamDeleted"})
	})
	if _, err := h.client.TombstoneStream(h.ctx, "never", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.NoStream{}}); err != nil {
		t.Errorf("a stream that never was: %v", err)
	}
	if err := closeServer(h.server); err != nil {
		t.Fatal(err)
	}
	if report := mustVerify(t, dir); len(report.Problems) > 0 {
		t.Errorf("the log is not sound: %q", report.Problems)
	}
	check(newHarness(t, embedded.Config{Dir: dir}))
}

// TestLinks reads links with and without the events that they point to.
func TestLinks(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	h.mustAppend("a", esdb.NoStream{}, events(3)...)
	h.mustAppend("gone", esdb.NoStream{}, events(1)...)
	var links []esdb.EventData
	for _, data := range []string{"1@a", "0@gone", "9@a", "nonsense", "2@a"} {
		link := events(1)[0]
		link.EventType, link.ContentType, link.Data = "$>", esdb.ContentTypeBinary, []byte(data)
		links = append(links, link)
	}
	h.mustAppend("links", esdb.NoStream{}, links...)
	if _, err := h.client.DeleteStream(h.ctx, "gone", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}}); err != nil {
		t.Fatal(err)
	}
	read := func(options esdb.ReadStreamOptions) (seen []string) {
		got, err := h.client.ReadStream(h.ctx, "links", options, 100)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		for event, err := range received(got) {
			if err != nil {
				t.Fatal(err)
			}
			at := "-"
			if event.Event != nil {
				at = places([]*esdb.ResolvedEvent{event})[0]
			}
			seen = append(seen, fmt.Sprintf("%s by %d", at, event.OriginalEvent().EventNumber))
		}
		return seen
	}
	if diff := cmp.Diff([]string{"1@a by 0", "- by 1", "- by 2", "- by 3", "2@a by 4"}, read(esdb.ReadStreamOptions{ResolveLinkTos: true})); diff != "" {
		t.Errorf("resolved (-want +got):\n%s", diff)
	}
	plain := []string{"0@links by 0", "1@links by 1", "2@links by 2", "3@links by 3", "4@links by 4"}
	if diff := cmp.Diff(plain, read(esdb.ReadStreamOptions{})); diff != "" {
		t.Errorf("not resolved (-want +got):\n%s", diff)
	}
	settings := patientGroup()
	settings.ResolveLinkTos = true
	h.mustGroup("links", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings})
	consumer := h.consume("links", "g", 1)
	got := next(t, consumer, 1)
	wantPlaces(t, "a group", got, "1@a")
	if err := consumer.Ack(got...); err != nil { // by the link's id
		t.Fatal(err)
	}
	if after := next(t, consumer, 1); after[0].Event != nil || after[0].OriginalEvent().EventNumber != 1 {
		t.Errorf("after the first link came %+v", after[0])
	}
	_, err := h.read("$ce-a", esdb.ReadStreamOptions{}, 1)
	wantCode(t, "a category", err, esdb.ErrorCodeUnsupportedFeature)
	_, err = h.client.SubscribeToStream(h.ctx, "$et-Tested", esdb.SubscribeToStreamOptions{})
	wantCode(t, "a type", err, esdb.ErrorCodeUnsupportedFeature)
}

// TestDiscovery finds the one node by gossip.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Listen: "127.0.0.1:0"})
	config, err := esdb.ParseConnectionString("esdb+discover://" + h.server.Addr() + "?tls=false&nodePreference=leader")
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if _, err := client.AppendToStream(h.ctx, "a", esdb.AppendToStreamOptions{}, events(1)...); err != nil {
		t.Error(err)
	}
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
