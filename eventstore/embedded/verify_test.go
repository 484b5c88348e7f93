package embedded_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
)

// newFolder makes a data folder with a closed log: stream a-1 has 10 events, b-1 the last 2 of 30.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Run("fill", func(t *testing.T) {
		h := newHarness(t, embedded.Config{Dir: dir, Scavenge: time.Millisecond})
		h.mustAppend("a-1", esdb.NoStream{}, events(5)...)
		var metadata esdb.StreamMetadata
		metadata.SetMaxCount(2)
		h.setMetadata("b-1", metadata)
		h.mustAppend("b-1", esdb.NoStream{}, events(30)...)
		h.mustAppend("a-1", esdb.Revision(4), events(5)...)
		h.awaitInLog("b-1", revisions(28, 29))
	})
	return dir
}

func mustVerify(t *testing.T, path string) logfile.Report {
	t.Helper()
	report, err := logfile.Verify(context.Background(), path)
	if err != nil {
		t.Fatalf("verify %s: %v", path, err)
	}
	return report
}

func TestVerify(t *testing.T) {
	t.Parallel()
	want := logfile.Report{Events: 13, Streams: 3, Removed: 28, Last: 41}
	if diff := cmp.Diff(want, mustVerify(t, newFolder(t))); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if _, err := logfile.Verify(context.Background(), t.TempDir()); err == nil {
		t.Error("a folder without a log was verified")
	}
	dir := t.TempDir()
	_ = newHarness(t, embedded.Config{Dir: dir})
	if diff := cmp.Diff(logfile.Report{}, mustVerify(t, dir)); diff != "" {
		t.Errorf("report of an empty log in use (-want +got):\n%s", diff)
	}
}

// TestVerify_problems changes a log in ways that no single checksum shows, or shows for one event only.
func TestVerify_problems(t *testing.T) {
	t.Parallel()
	const firstOfA = "(SELECT min(position) FROM events WHERE stream = (SELECT id FROM streams WHERE name = 'a-1'))"
	tests := map[string]struct {
		script string
		want   []string // what the problems say, in any order
	}{
		"an event changed":    {"UPDATE events SET data = '{}' WHERE position = " + firstOfA, []string{"event 0 of stream a-1 (position 1) does not match"}},
		"an event's type":     {"UPDATE events SET type = 'Other' WHERE position = 3", []string{"event 2 of stream a-1 (position 3) does not match"}},
		"an event gone":       {"DELETE FROM events WHERE position = 3", []string{"stream a-1 lacks the revisions 2 to 2, before position 4", "1 events are missing"}},
		"the oldest gone":     {"DELETE FROM events WHERE position = 1", []string{"stream a-1 lacks the revisions 0 to 0", "1 events are missing"}},
		"the newest gone":     {"DELETE FROM events WHERE position = 5; DELETE FROM events WHERE position > 36", []string{"events are missing"}},
		"a stream renamed":    {"UPDATE streams SET name = 'c-1' WHERE name = 'a-1'", []string{"stream c-1 (position 1) does not match", "stream c-1 (position 41) does not match"}},
		"a stream gone":       {"PRAGMA foreign_keys = OFF; DELETE FROM streams WHERE name = 'a-1'", []string{"position 1) does not match"}},
		"a stream's mark":     {"UPDATE streams SET removed = 27 WHERE name = 'b-1'", []string{"stream b-1 lacks the revisions 27 to 27", "1 events are missing"}},
		"a stream of nothing": {"INSERT INTO streams (name) VALUES ('d-1')", []string{"stream d-1 has no events"}},
		"order": {"UPDATE events SET position = -position WHERE position IN (1, 2); UPDATE events SET position = 3 + position WHERE position < 0",
			[]string{"stream a-1 has revision 1 at position 1, before the revision that precedes it", "event 0 of stream a-1 (position 2) does not match"}},
	}
	dir := newFolder(t)
	for name, tt := range tests {
		path := filepath.Join(t.TempDir(), "events.db")
		copyFile(t, filepath.Join(dir, "events.db"), path)
		if err := embedded.Tamper(path, tt.script); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := strings.Join(mustVerify(t, path).Problems, "\n")
		for _, want := range tt.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: the problems are\n%s\nnone says %q", name, all, want)
			}
		}
	}
}

// TestVerify_damage: a damaged page is named, whatever it holds.
func TestVerify_damage(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(newFolder(t), "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	for page := range len(source) / 4096 {
		path := filepath.Join(t.TempDir(), "events.db")
		if err := os.WriteFile(path, flip(source, page*4096+1000), 0o600); err != nil {
			t.Fatal(err)
		}
		report := mustVerify(t, path)
		if all := strings.Join(report.Problems, "\n"); !strings.Contains(all, "events.db is damaged: page ") {
			t.Errorf("page %d is damaged, and the problems are %q", page+1, all)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBackup copies a log while callers append to it: each copy is a beginning of the log, sound, and a server starts from it.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	ctx, cancel := context.WithCancel(h.ctx)
	appended := make(chan int, 1)
	go func() {
		n := 0
		for ctx.Err() == nil {
			if _, err := h.append("a-1", esdb.Any{}, events(7)...); err != nil {
				t.Errorf("append: %v", err)
				break
			}
			n += 7
		}
		appended <- n
	}()
	var copies []string
	var reports []logfile.Report
	for i := range 5 {
		to := filepath.Join(t.TempDir(), "copy.db")
		report, err := logfile.Backup(context.Background(), dir, to)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && report.Last < reports[i-1].Last {
			t.Errorf("a later copy ends at %d, an earlier one at %d", report.Last, reports[i-1].Last)
		}
		copies, reports = append(copies, to), append(reports, report)
		h.mustAppend("b-1", esdb.Any{}, events(1)...)
	}
	cancel()
	<-appended
	all := h.inLog("a-1")
	for i, file := range copies {
		restored := t.TempDir()
		copyFile(t, file, filepath.Join(restored, "events.db"))
		r := newHarness(t, embedded.Config{Dir: restored})
		got := r.inLog("a-1")
		if len(got)%7 != 0 || len(got) > len(all) || int64(len(got)+len(r.inLog("b-1"))) != reports[i].Last {
			t.Errorf("copy %d has %d of %d events, its report says %+v", i, len(got), len(all), reports[i])
		}
		r.mustAppend("c-1", esdb.NoStream{}, events(1)...)
	}
}

func TestBackup_refused(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(to, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := logfile.Backup(context.Background(), dir, to); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a file was overwritten: %v", err)
	}
	if err := embedded.Tamper(filepath.Join(dir, "events.db"), "DELETE FROM events WHERE position = 3"); err != nil {
		t.Fatal(err)
	}
	to = filepath.Join(t.TempDir(), "copy.db")
	if _, err := logfile.Backup(context.Background(), dir, to); err == nil || !strings.Contains(err.Error(), "is not sound") {
		t.Errorf("a log that lacks an event was backed up: %v", err)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("an unsound copy has the name of a sound one")
	}
}

// flip returns the content with the lowest bit of a byte changed.
func flip(content []byte, at int) []byte {
	changed := bytes.Clone(content)
	changed[at] ^= 1
	return changed
}
