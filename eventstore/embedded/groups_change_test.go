package embedded

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"moviola/eventstore/embedded/logfile"
)

// changedGroups returns the groups of a log, with a writer that runs until the test ends.
func changedGroups(t *testing.T, log logfile.Storage) *groups {
	t.Helper()
	tail, note := newTail(0, tailRecords), orDiscard(nil)
	s := &service{log: log, tail: tail, note: note, now: time.Now, writer: newWriter(log, tail, time.Now, note)}
	go s.writer.run()
	t.Cleanup(s.writer.close)
	g, err := openGroups(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	return g
}

func testSettings(retries int32) *groupSettings {
	return &groupSettings{Strategy: strategyRoundRobin, ReadBatch: 20, HistoryBuffer: 500, LiveBuffer: 500, MaxRetries: retries}
}

// leaving is a log whose callers leave while it commits.
type leaving struct {
	logfile.Storage
	leave context.CancelFunc
}

func (l *leaving) Commit(batch []*logfile.Record, groups []*logfile.GroupRow) error {
	if l.leave != nil {
		l.leave()
		<-time.After(50 * time.Millisecond) // in which the caller may return; the commit does not wait for it
	}
	return l.Storage.Commit(batch, groups)
}

// TestGroups_callerLeaves: a change whose caller leaves while it is written is made or is not made: what runs is what is stored.
func TestGroups_callerLeaves(t *testing.T) {
	t.Parallel()
	file, err := logfile.Open(filepath.Join(t.TempDir(), logfile.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	log := &leaving{Storage: file}
	g := changedGroups(t, log)
	key := logfile.GroupKey{Stream: "a", Name: "g"}
	if err := g.create(t.Context(), key, testSettings(1), 0); err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, log.leave = context.WithCancel(t.Context())
	_ = g.update(ctx, key, testSettings(2), 0)
	ctx, log.leave = context.WithCancel(t.Context())
	_ = g.create(ctx, logfile.GroupKey{Stream: "a", Name: "another"}, testSettings(1), 0)
	g.change.Lock()
	defer g.change.Unlock()
	log.leave = nil
	if err := g.service.writer.submit(&operation{ctx: t.Context(), stream: "b", reply: make(chan result, 1)}).err; err != nil {
		t.Fatal(err) // the writer has done what came before
	}
	if got := g.find(key).state.settings.MaxRetries; got != 2 {
		t.Errorf("the group runs with %d retries, 2 are stored", got)
	}
	if rows, err := file.Groups(t.Context()); err != nil || len(rows) != len(g.list("")) {
		t.Errorf("%d groups are stored, %d run (%v)", len(rows), len(g.list("")), err)
	}
}

// TestGroups_findWhileChanged: a group whose settings are being changed is there all the time.
func TestGroups_findWhileChanged(t *testing.T) {
	t.Parallel()
	g := changedGroups(t, nothing{})
	key := logfile.GroupKey{Stream: "a", Name: "g"}
	if err := g.create(t.Context(), key, testSettings(1), 0); err != nil {
		t.Fatal(err)
	}
	var changes sync.WaitGroup
	changes.Go(func() {
		for range 500 {
			if err := g.update(t.Context(), key, testSettings(1), 0); err != nil {
				t.Error(err)
			}
		}
	})
	changed := make(chan struct{})
	go func() { changes.Wait(); close(changed) }()
	for missing := 0; ; {
		select {
		case <-changed:
			if missing > 0 {
				t.Errorf("the group was missing %d times", missing)
			}
			return
		default:
		}
		if found := g.settled(key); found == nil {
			missing++
		}
	}
}
