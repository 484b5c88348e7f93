package embedded_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
)

// collapsible is metadata of a stream that may be collapsed when it has so many events.
func collapsible(events uint64) esdb.StreamMetadata {
	var metadata esdb.StreamMetadata
	metadata.SetTruncateBefore(events)
	metadata.AddCustomProperty(eventstore.CollapseProperty, true)
	metadata.AddCustomProperty("colour", "red")
	return metadata
}

// awaitCollapsed waits until nothing of a stream is in the log.
func (h *harness) awaitCollapsed(stream string) {
	h.Helper()
	h.awaitInLog(stream, nil)
	h.awaitInLog("$$"+stream, nil)
}

// fileVersion is the user_version in the header of a SQLite file.
func fileVersion(t *testing.T, dir string) uint32 {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, logfile.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return binary.BigEndian.Uint32(content[60:])
}

// mustBeSound verifies a log.
func mustBeSound(t *testing.T, path string) logfile.Report {
	t.Helper()
	report := mustVerify(t, path)
	if len(report.Problems) > 0 {
		t.Fatalf("%s: %q", path, report.Problems)
	}
	return report
}

// wantCollapsed asks about a stream of 12 events that is collapsed, with the id of its last event.
func (h *harness) wantCollapsed(when, stream string, last esdb.EventData) {
	h.Helper()
	if got, err := h.read(stream, esdb.ReadStreamOptions{From: esdb.Start{}}, 100); err != nil || len(got) > 0 {
		h.Errorf("%s: a read gives %v, %v", when, got, err)
	}
	metadata, err := h.client.GetStreamMetadata(h.ctx, stream, esdb.ReadStreamOptions{})
	if err != nil || *metadata.TruncateBefore() != 12 || metadata.CustomProperties()["colour"] != "red" {
		h.Errorf("%s: metadata %+v, %v", when, metadata, err)
	}
	for _, expected := range []esdb.ExpectedRevision{esdb.NoStream{}, esdb.Revision(10), esdb.Revision(12)} {
		if _, err := h.append(stream, expected, events(1)...); !isConflict(err) {
			h.Errorf("%s: an append that expects %v ends with %v", when, expected, err)
		}
	}
	for _, expected := range []esdb.ExpectedRevision{esdb.Any{}, esdb.Revision(10)} {
		if again, err := h.append(stream, expected, last); err != nil || again.NextExpectedVersion != 11 {
			h.Errorf("%s: the last append, again, that expects %v: %+v, %v", when, expected, again, err)
		}
	}
}

// TestCollapse: of a collapsed stream nothing is in the log, and every answer about it is what it was: of reads, of its
// metadata, of appends. It goes on after its last revision, and can be collapsed again, also after a restart.
func TestCollapse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := embedded.Open(embedded.Config{Dir: dir, Scavenge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	all := events(12)
	t.Run("before", func(t *testing.T) {
		h := serveHarness(t, server)
		h.mustAppend("a-1", esdb.NoStream{}, all...)
		h.setMetadata("a-1", collapsible(12))
		h.wantCollapsed("not collapsed yet", "a-1", all[11])
	})
	if got := fileVersion(t, dir); got != 2 {
		t.Errorf("the file has version %d", got)
	}
	t.Run("collapsed", func(t *testing.T) {
		h := newHarness(t, embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
		h.mustAppend("b-1", esdb.NoStream{}, events(1)...) // the newest record of the log always stays
		h.awaitCollapsed("a-1")
		h.wantCollapsed("collapsed", "a-1", all[11])
		stats, err := logfile.LogStats(h.ctx, dir)
		if err != nil || stats.Collapsed != 1 || stats.Streams != 1 || stats.Removed != 13 {
			t.Errorf("counted %+v, %v", stats, err)
		}
		listed, err := logfile.Streams(h.ctx, dir, "a-", "", 10)
		if err != nil || len(listed) != 1 || !listed[0].Collapsed || listed[0].Last != 11 || listed[0].Events != 0 {
			t.Errorf("listed %+v, %v", listed, err)
		}
	})
	if got := fileVersion(t, dir); got != 3 {
		t.Errorf("the file has version %d: an earlier version of the program would open it", got)
	}
	h := newHarness(t, embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
	h.wantCollapsed("after a restart", "a-1", all[11])
	sub, err := h.client.SubscribeToStream(h.ctx, "a-1", esdb.SubscribeToStreamOptions{From: esdb.Start{}})
	if err != nil {
		t.Fatal(err)
	}
	next := h.mustAppend("a-1", esdb.Revision(11), events(1)...)
	if next.NextExpectedVersion != 12 || next.CommitPosition != 15 {
		t.Errorf("goes on at %+v", next)
	}
	for came := false; !came; {
		event := sub.Recv()
		if event.SubscriptionDropped != nil {
			t.Fatal(event.SubscriptionDropped.Error)
		}
		if came = event.EventAppeared != nil; came && event.EventAppeared.OriginalEvent().EventNumber != 12 {
			t.Errorf("event %d came", event.EventAppeared.OriginalEvent().EventNumber)
		}
	}
	if again, err := h.append("a-1", esdb.Any{}, all[11]); err != nil || again.NextExpectedVersion != 11 {
		t.Errorf("the last append before, again: %+v, %v", again, err)
	}
	if got, err := h.read("a-1", esdb.ReadStreamOptions{From: esdb.Start{}}, 100); err != nil || !slices.Equal(got, []uint64{12}) {
		t.Errorf("a read gives %v, %v", got, err)
	}
	written, err := h.client.SetStreamMetadata(h.ctx, "a-1", esdb.AppendToStreamOptions{ExpectedRevision: esdb.Revision(0)}, collapsible(13))
	if err != nil || written.NextExpectedVersion != 1 {
		t.Fatalf("new metadata: %+v, %v", written, err)
	}
	h.mustAppend("b-1", esdb.Revision(0), events(1)...)
	h.awaitCollapsed("a-1")
	if report := mustBeSound(t, dir); report.Removed != 15 || report.Streams != 2 {
		t.Errorf("verified %+v", report)
	}
	if written := h.mustAppend("a-1", esdb.Any{}, events(1)...); written.NextExpectedVersion != 13 {
		t.Errorf("goes on at %+v", written)
	}
}

// TestCollapse_deleted: a collapsed stream can be deleted, softly and for good, and a deleted one is not collapsed.
func TestCollapse_deleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
	for _, stream := range []string{"a-soft", "a-forgood"} {
		h.mustAppend(stream, esdb.NoStream{}, events(3)...)
		h.setMetadata(stream, collapsible(3))
	}
	h.mustAppend("b-1", esdb.NoStream{}, events(1)...)
	h.awaitCollapsed("a-soft")
	h.awaitCollapsed("a-forgood")
	if _, err := h.client.DeleteStream(h.ctx, "a-soft", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(2)}); err != nil {
		t.Fatal(err)
	}
	if written := h.mustAppend("a-soft", esdb.NoStream{}, events(1)...); written.NextExpectedVersion != 3 {
		t.Errorf("the new life begins at %d", written.NextExpectedVersion)
	}
	if _, err := h.client.TombstoneStream(h.ctx, "a-forgood", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Revision(2)}); err != nil {
		t.Fatal(err)
	}
	for _, expected := range []esdb.ExpectedRevision{esdb.NoStream{}, esdb.Revision(2), esdb.Any{}} {
		if _, err := h.append("a-forgood", expected, events(1)...); err == nil || isConflict(err) {
			t.Errorf("an append to a stream with a tombstone that expects %v ends with %v", expected, err)
		}
	}
	mustBeSound(t, dir)
}

// TestCollapse_late: a stream whose metadata is the newest record of the log is collapsed as soon as another record comes,
// not an hour later.
func TestCollapse_late(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Scavenge: time.Millisecond})
	h.mustAppend("a-1", esdb.NoStream{}, events(3)...)
	h.setMetadata("a-1", collapsible(3))
	for range 3 {
		if _, err := eventstoredb.Scavenge(h.ctx, eventstoredb.Config{Addr: h.server.Addr()}); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.inLog("$$a-1"); !slices.Equal(got, []uint64{0}) {
		t.Errorf("the newest record of the log is gone: %v", got)
	}
	h.mustAppend("b-1", esdb.NoStream{}, events(1)...)
	h.awaitCollapsed("a-1")
}

// TestCollapse_pieces: a backup in pieces has the collapsed streams, and a log that is made of it goes on where they were.
// Pieces stay as they are while the log grows.
func TestCollapse_pieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir, Scavenge: 5 * time.Millisecond})
	for i := range 5 {
		h.mustAppend(fmt.Sprintf("a-%d", i), esdb.NoStream{}, events(3)...)
		h.setMetadata(fmt.Sprintf("a-%d", i), collapsible(3))
	}
	odd := []string{"odd-\xc3", "odd-\xff"} // names are bytes, which need not be UTF-8
	for _, stream := range odd {
		h.mustAppend(stream, esdb.NoStream{}, events(3)...)
		h.setMetadata(stream, collapsible(3))
	}
	h.mustAppend("b-1", esdb.NoStream{}, events(1)...)
	for i := range 5 {
		h.awaitCollapsed(fmt.Sprintf("a-%d", i))
	}
	for _, stream := range odd {
		h.awaitCollapsed(stream)
	}
	h.mustAppend("a-4", esdb.Revision(2), events(1)...)
	names, before := piecesOf(t, dir)
	if !slices.Contains(names, "collapsed-000000000000.jsonl") {
		t.Fatalf("pieces %v", names)
	}
	again := assembled(t, names, before, "")
	if _, after := piecesOf(t, again); !equalPieces(before, after) {
		t.Error("the log that was made of the pieces has others")
	}
	mustBeSound(t, again)
	peek, err := logfile.OpenPeek(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = peek.Close() }()
	if metadata, err := peek.Metadata("a-1"); err != nil || len(metadata) != 1 || !bytes.Contains(metadata[0], []byte("red")) {
		t.Errorf("the metadata of a collapsed stream: %s, %v", metadata, err)
	}
	restored := newHarness(t, embedded.Config{Dir: again, Scavenge: 5 * time.Millisecond})
	for stream, want := range map[string]uint64{"a-0": 3, "a-4": 4, odd[0]: 3, odd[1]: 3} {
		if written := restored.mustAppend(stream, esdb.Revision(want-1), events(1)...); written.NextExpectedVersion != want {
			t.Errorf("%s goes on at %d", stream, written.NextExpectedVersion)
		}
	}
	mustBeSound(t, again)
}

// TestCollapse_killed: a server that is killed while it collapses streams leaves a sound log, in which each stream is whole
// or collapsed, and the next one goes on.
func TestCollapse_killed(t *testing.T) {
	t.Parallel()
	const streams = 200
	dir := t.TempDir()
	t.Run("fill", func(t *testing.T) {
		h := newHarness(t, embedded.Config{Dir: dir, Scavenge: time.Hour})
		for i := range streams {
			h.mustAppend(fmt.Sprintf("a-%d", i), esdb.NoStream{}, events(3)...)
			h.setMetadata(fmt.Sprintf("a-%d", i), collapsible(3))
		}
		h.mustAppend("b-1", esdb.NoStream{}, events(1)...)
	})
	giveUp := time.After(patience)
	for collapsed := int64(0); collapsed < streams; {
		server := startChild(t, dir)
		for before := collapsed; collapsed == before; {
			stats, err := logfile.LogStats(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			collapsed = stats.Collapsed
			select {
			case <-giveUp:
				t.Fatalf("%d streams are collapsed", collapsed)
			case <-time.After(time.Millisecond):
			}
		}
		server.kill()
		if report := mustBeSound(t, dir); report.Streams > 2*streams+1-collapsed {
			t.Fatalf("verified %+v with %d collapsed streams", report, collapsed)
		}
	}
	h := newHarness(t, embedded.Config{Dir: dir, Scavenge: time.Hour})
	for i := range streams {
		if written := h.mustAppend(fmt.Sprintf("a-%d", i), esdb.Revision(2), events(1)...); written.NextExpectedVersion != 3 {
			t.Fatalf("a-%d goes on at %d", i, written.NextExpectedVersion)
		}
	}
	if report := mustBeSound(t, dir); report.Removed != 4*streams {
		t.Errorf("verified %+v", report)
	}
}
