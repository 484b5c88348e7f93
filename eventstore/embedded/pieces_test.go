package embedded_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
)

// piecesOf backs up the log of a folder and takes the backup apart.
func piecesOf(t *testing.T, dir string) (names []string, content map[string][]byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := logfile.Backup(t.Context(), dir, file); err != nil {
		t.Fatal(err)
	}
	content = map[string][]byte{}
	err := logfile.Pieces(t.Context(), file, func(name string, piece []byte) error {
		names = append(names, name)
		content[name] = bytes.Clone(piece)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, content
}

// assembled returns the folder of a log that is made from all pieces but left.
func assembled(t *testing.T, names []string, pieces map[string][]byte, left string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "again")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	assembly, err := logfile.Assemble(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name == left {
			continue
		}
		if err := assembly.Add(name, bytes.NewReader(pieces[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := assembly.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A log that is taken apart and made again is the same, event by event; and while it grows, its first pieces stay as they are.
func TestPieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	binary := esdb.EventData{EventID: uuid.New(), EventType: "Binary", ContentType: esdb.ContentTypeBinary, Data: []byte{0, 0xff, '<', 'x'}, Metadata: []byte("\xc3\x28")}
	text := esdb.EventData{EventID: uuid.New(), EventType: "Text", ContentType: esdb.ContentTypeJson, Data: []byte(`{"a":"<ü\u2028 & \\ \u0000"}`)}
	h.mustAppend("odd-1", esdb.NoStream{}, binary, text)
	for i := range 30 {
		h.mustAppend(fmt.Sprintf("many-%d", i), esdb.NoStream{}, events(100)...)
	}
	names, before := piecesOf(t, dir)
	if len(names) != 4 {
		t.Fatalf("pieces %v", names)
	}

	again := filepath.Join(t.TempDir(), "again")
	if err := os.Mkdir(again, 0o700); err != nil {
		t.Fatal(err)
	}
	assembly, err := logfile.Assemble(again)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := assembly.Add(name, bytes.NewReader(before[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := assembly.Add(names[0], bytes.NewReader(before[names[0]])); err == nil {
		t.Error("a piece was added twice")
	}
	if err := assembly.Add("other", bytes.NewReader(nil)); err == nil {
		t.Error("something else was added")
	}
	if err := assembly.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := logfile.Verify(t.Context(), again)
	if err != nil || report.Events != 3002 || report.Last != 3002 || len(report.Problems) > 0 {
		t.Errorf("assembled: %+v, %v", report, err)
	}
	if _, err := logfile.Assemble(again); err == nil {
		t.Error("a log was assembled over another")
	}
	if _, same := piecesOf(t, again); !equalPieces(same, before) {
		t.Error("the pieces of the assembled log are others")
	}

	h.mustAppend("late-1", esdb.NoStream{}, events(10)...)
	_, after := piecesOf(t, dir)
	for _, name := range names[:2] {
		if !bytes.Equal(before[name], after[name]) {
			t.Errorf("%s has changed", name)
		}
	}
}

func equalPieces(a, b map[string][]byte) bool {
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// A log that lacks a piece is not sound, or ends before the whole log.
func TestPieces_missing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	for i := range 30 {
		h.mustAppend(fmt.Sprintf("many-%d", i), esdb.NoStream{}, events(100)...)
	}
	names, pieces := piecesOf(t, dir)
	for _, left := range names {
		again := assembled(t, names, pieces, left)
		report, err := logfile.Verify(t.Context(), again)
		if err == nil && len(report.Problems) == 0 && report.Last == 3000 {
			t.Errorf("without %s the log passes: %+v", left, report)
		}
	}
}

// TestPieces_groups: the persistent subscriptions of a log, with how far they are, come back with it.
func TestPieces_groups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	h.mustAppend("a", esdb.NoStream{}, events(5)...)
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	h.mustGroup("a", "other", esdb.PersistentStreamSubscriptionOptions{StartFrom: esdb.Revision(3)})
	consumer := h.consume("a", "g", 10)
	got := next(t, consumer, 5)
	if err := consumer.Ack(got[:3]...); err != nil {
		t.Fatal(err)
	}
	h.until("the checkpoint is written", func() bool {
		groups, err := logfile.Groups(h.ctx, dir)
		return err == nil && groups[0].Checkpoint == 2
	})
	names, pieces := piecesOf(t, dir)
	again := assembled(t, names, pieces, "")
	before, err := logfile.Groups(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	after, err := logfile.Groups(t.Context(), again)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the groups are %+v, were %+v (%v)", after, before, err)
	}
	second := newHarness(t, embedded.Config{Dir: again})
	wantPlaces(t, "behind the checkpoint", next(t, second.consume("a", "g", 10), 2), "3@a", "4@a")
}

// TestPieces_names: names of streams are bytes, which need not be UTF-8. They come back as they are, and two of them stay two.
func TestPieces_names(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	for _, stream := range []string{"odd-\xc3", "odd-\xff", "well-ü"} {
		h.mustAppend(stream, esdb.NoStream{}, events(1)...)
	}
	h.mustGroup("odd-\xff", "g", esdb.PersistentStreamSubscriptionOptions{})
	names, pieces := piecesOf(t, dir)
	again := assembled(t, names, pieces, "")
	report, err := logfile.Verify(t.Context(), again)
	if err != nil || report.Streams != 3 || len(report.Problems) > 0 {
		t.Errorf("assembled: %+v, %v", report, err)
	}
	if _, same := piecesOf(t, again); !equalPieces(same, pieces) {
		t.Error("the pieces of the assembled log are others")
	}
	if got, err := newHarness(t, embedded.Config{Dir: again}).read("odd-\xff", esdb.ReadStreamOptions{}, 10); len(got) != 1 || err != nil {
		t.Errorf("events %v, %v", got, err)
	}
}
