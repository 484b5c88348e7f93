package embedded_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"moviola/eventstore/embedded"
)

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
