package embedded_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
)

// inLog returns the revisions of a stream that the log still has.
func (h *harness) inLog(stream string) []uint64 {
	h.Helper()
	read, err := h.client.ReadAll(h.ctx, esdb.ReadAllOptions{Direction: esdb.Forwards, From: esdb.Start{}}, 1<<20)
	if err != nil {
		h.Fatal(err)
	}
	defer read.Close()
	revisions := []uint64{}
	for event, err := range received(read) {
		if err != nil {
			h.Fatal(err)
		}
		if event.OriginalEvent().StreamID == stream {
			revisions = append(revisions, event.OriginalEvent().EventNumber)
		}
	}
	return revisions
}

// awaitInLog waits until the log has these revisions of a stream and no others.
func (h *harness) awaitInLog(stream string, want []uint64) {
	h.Helper()
	giveUp := time.After(patience)
	for {
		got := h.inLog(stream)
		if slices.Equal(got, want) {
			return
		}
		select {
		case <-giveUp:
			h.Fatalf("the log has the revisions %v of %s, want %v", got, stream, want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (h *harness) setMetadata(stream string, metadata esdb.StreamMetadata) {
	h.Helper()
	_, err := h.client.SetStreamMetadata(h.ctx, stream, esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}, metadata)
	if err != nil {
		h.Fatalf("set the metadata of %s: %v", stream, err)
	}
}

func revisions(from, to uint64) []uint64 {
	var all []uint64
	for r := from; r <= to; r++ {
		all = append(all, r)
	}
	return all
}

func TestScavenge(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Scavenge: 5 * time.Millisecond})
	for name, tt := range map[string]struct {
		metadata func(*esdb.StreamMetadata)
		want     []uint64
	}{
		"maxCount":  {func(m *esdb.StreamMetadata) { m.SetMaxCount(3) }, revisions(597, 599)},
		"maxAge":    {func(m *esdb.StreamMetadata) { m.SetMaxAge(time.Hour) }, revisions(0, 599)},
		"tb":        {func(m *esdb.StreamMetadata) { m.SetTruncateBefore(590) }, revisions(590, 599)},
		"tb beyond": {func(m *esdb.StreamMetadata) { m.SetTruncateBefore(10_000) }, revisions(599, 599)},
		"both":      {func(m *esdb.StreamMetadata) { m.SetTruncateBefore(5); m.SetMaxCount(2) }, revisions(598, 599)},
		"other":     {func(m *esdb.StreamMetadata) { m.AddCustomProperty("colour", "red") }, revisions(0, 599)},
	} {
		stream := "limited-" + name
		h.mustAppend(stream, esdb.NoStream{}, events(600)...)
		var metadata esdb.StreamMetadata
		tt.metadata(&metadata)
		h.setMetadata(stream, metadata)
		h.awaitInLog(stream, tt.want)
		// What is gone was out of sight before, and the stream goes on where it was.
		if name == "tb beyond" {
			continue
		}
		got, err := h.read(stream, esdb.ReadStreamOptions{From: esdb.Start{}}, 1000)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, revisions (-want +got):\n%s", name, err, diff)
		}
		if written := h.mustAppend(stream, esdb.Revision(599), events(1)...); written.NextExpectedVersion != 600 {
			t.Errorf("%s: the next event is at revision %d, want 600", name, written.NextExpectedVersion)
		}
	}
}

// TestScavenge_metadata: of a stream's metadata, only the newest counts.
func TestScavenge_metadata(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Scavenge: 5 * time.Millisecond})
	h.mustAppend("a-1", esdb.NoStream{}, events(5)...)
	for count := range uint64(4) {
		var metadata esdb.StreamMetadata
		metadata.SetMaxCount(4 - count)
		h.setMetadata("a-1", metadata)
	}
	h.awaitInLog("$$a-1", []uint64{3})
	h.awaitInLog("a-1", revisions(4, 4))
}

// TestScavenge_deleted: of a deleted stream the newest event stays, so that its revisions are never given again.
func TestScavenge_deleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := embedded.Open(embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := serveHarness(t, server)
	h.mustAppend("a-1", esdb.NoStream{}, events(300)...)
	if _, err := h.client.DeleteStream(h.ctx, "a-1", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(299)}); err != nil {
		t.Fatal(err)
	}
	h.awaitInLog("a-1", []uint64{299})
	if written := h.mustAppend("a-1", esdb.Any{}, events(1)...); written.NextExpectedVersion != 300 {
		t.Errorf("the next event is at revision %d, want 300", written.NextExpectedVersion)
	}
	h.awaitInLog("a-1", []uint64{300})
	got, err := h.read("a-1", esdb.ReadStreamOptions{From: esdb.Start{}}, 10)
	if diff := cmp.Diff([]uint64{300}, got); err != nil || diff != "" {
		t.Errorf("%v, revisions (-want +got):\n%s", err, diff)
	}
}

// TestScavenge_busy removes while others append, read and follow: a follower sees every event once, a reader never an error.
func TestScavenge_busy(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Scavenge: time.Millisecond})
	var metadata esdb.StreamMetadata
	metadata.SetMaxCount(2)
	h.setMetadata("busy-1", metadata)
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	sub, err := h.client.SubscribeToStream(ctx, "busy-1", esdb.SubscribeToStreamOptions{From: esdb.Start{}})
	if err != nil {
		t.Fatal(err)
	}
	const total = 400
	appended := make(chan error, 1)
	go func() {
		for i := range uint64(total) {
			var expected esdb.ExpectedRevision = esdb.NoStream{}
			if i > 0 {
				expected = esdb.Revision(i - 1)
			}
			if _, err := h.append("busy-1", expected, events(1)...); err != nil {
				appended <- fmt.Errorf("append %d: %w", i, err)
				return
			}
		}
		appended <- nil
	}()
	for next := uint64(0); next < total; {
		event := sub.Recv()
		if event.SubscriptionDropped != nil {
			t.Fatal(event.SubscriptionDropped.Error)
		}
		if event.EventAppeared == nil {
			continue
		}
		if got := event.EventAppeared.OriginalEvent().EventNumber; got != next {
			t.Fatalf("event %d came, want %d", got, next)
		}
		next++
		if next%50 == 0 {
			if got, err := h.read("busy-1", esdb.ReadStreamOptions{From: esdb.Start{}}, 1000); err != nil || len(got) > 2 {
				t.Fatalf("a read gives %v, %v", got, err)
			}
		}
	}
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	h.awaitInLog("busy-1", revisions(total-2, total-1))
}

// TestScavenge_discarded: a discarded stream goes as a whole, with its metadata, and begins anew at revision 0. The positions of the
// log go on, the log is sound, and its newest record stays whatever it is.
func TestScavenge_discarded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := embedded.Open(embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := serveHarness(t, server)
	h.mustAppend("a-1", esdb.NoStream{}, events(3)...)
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close(context.Background()) }()
	if knows, err := store.Discards(h.ctx); err != nil || !knows {
		t.Errorf("says %v that it knows discarded streams, %v", knows, err)
	}
	if err := eventstore.Discard(h.ctx, store, "a-1", 2); err != nil {
		t.Fatal(err)
	}
	scavenge := func() {
		t.Helper()
		if _, err := eventstoredb.Scavenge(h.ctx, eventstoredb.Config{Addr: server.Addr()}); err != nil {
			t.Fatal(err)
		}
	}
	scavenge()
	if got := h.inLog("$$a-1"); !slices.Equal(got, []uint64{0}) {
		t.Errorf("the newest record of the log is gone: %v", got)
	}
	last := h.mustAppend("b-1", esdb.NoStream{}, events(1)...).CommitPosition
	giveUp := time.After(patience)
	for len(h.inLog("a-1"))+len(h.inLog("$$a-1")) > 0 {
		select {
		case <-giveUp:
			t.Fatalf("the log still has %v and %v", h.inLog("a-1"), h.inLog("$$a-1"))
		case <-time.After(5 * time.Millisecond):
			scavenge()
		}
	}
	report, err := logfile.Verify(h.ctx, filepath.Join(dir, logfile.FileName))
	if err != nil || len(report.Problems) > 0 || report.Streams != 1 || report.Removed != 4 {
		t.Errorf("the log is not sound: %+v, %v", report, err)
	}
	stats, err := logfile.LogStats(h.ctx, filepath.Join(dir, logfile.FileName))
	if err != nil || stats.Streams != 1 || len(stats.Categories) != 1 || stats.Removed != 4 {
		t.Errorf("counted %+v, %v", stats, err)
	}
	again := h.mustAppend("a-1", esdb.NoStream{}, events(1)...)
	if again.NextExpectedVersion != 0 || again.CommitPosition <= last {
		t.Errorf("the new life begins at revision %d, position %d after %d", again.NextExpectedVersion, again.CommitPosition, last)
	}
	scavenge()
	if got := h.inLog("a-1"); !slices.Equal(got, []uint64{0}) {
		t.Errorf("the new life has the revisions %v", got)
	}
}
