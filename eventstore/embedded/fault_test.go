package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded"
)

var anyRevision = esdb.Any{}

func embeddedIn(dir string) embedded.Config { return embedded.Config{Dir: dir} }

// faulty is a disk on which operations of a kind fail: from the number from on or, when once is set, only that one.
type faulty struct {
	operation string
	code      int32
	from      int64
	once      bool
	count     atomic.Int64
	off       atomic.Bool
}

func (f *faulty) fault(operation string) int32 {
	if operation != f.operation || f.off.Load() {
		return 0
	}
	n := f.count.Add(1)
	if n == f.from || n > f.from && !f.once {
		return f.code
	}
	return 0
}

// untilAllStop lets every caller append until it has met two errors. A conflict fails the test.
func untilAllStop(t *testing.T, h *harness, journals []*journal) {
	t.Helper()
	var group sync.WaitGroup
	for _, j := range journals {
		group.Go(func() {
			for errs := 0; errs < 2 && len(j.acked) < 2000; errs++ {
				if err := j.appendAll(h.ctx, h.client, func() {}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestFault_io fails a write or a sync, of the file or of its write-ahead log, once or for good. From then on nothing is written, the
// server says so, and reads go on; a restart finds all that was acknowledged.
func TestFault_io(t *testing.T) {
	t.Parallel()
	for round := range rounds(30, 500) {
		f := &faulty{operation: "sync", code: embedded.FaultSync, from: 1 + rand.Int64N(60), once: round%2 == 0}
		if round%3 == 0 {
			f.operation, f.code, f.from = "write", embedded.FaultWrite, 1+rand.Int64N(600)
		}
		failOnce(t, fmt.Sprintf("%s %d", f.operation, f.from), f)
	}
}

func failOnce(t *testing.T, name string, f *faulty) {
	t.Helper()
	dir := t.TempDir()
	f.off.Store(true) // until the server is there: one that cannot open its file does not start
	embedded.InjectFaults(dir, f.fault)
	journals := []*journal{newJournal("fault-1"), newJournal("fault-2"), newJournal("fault-3")}
	t.Run(name, func(t *testing.T) {
		h := newHarness(t, embeddedIn(dir))
		f.off.Store(false)
		untilAllStop(t, h, journals)
		if h.server.Health() == nil {
			t.Error("the server says it is well")
		}
		f.off.Store(true)
		if _, err := h.append("fault-4", esdb.NoStream{}, events(1)...); status.Code(err) != codes.Internal {
			t.Errorf("after a failed write the server still writes: %v", err)
		}
		for _, j := range journals {
			j.check(t, h.client, 0)
		}
	})
	embedded.InjectFaults(dir, nil)
	t.Run(name+", restarted", func(t *testing.T) {
		h := newHarness(t, embeddedIn(dir))
		for _, j := range journals {
			j.check(t, h.client, 0)
		}
		h.mustAppend("fault-4", esdb.NoStream{}, events(1)...)
		if report := mustVerify(t, dir); len(report.Problems) > 0 {
			t.Errorf("the log is not sound: %q", report.Problems)
		}
	})
}

// TestFault_full: a disk that is full for a while refuses appends for that while.
func TestFault_full(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &faulty{operation: "write", code: embedded.FaultFull}
	f.off.Store(true)
	embedded.InjectFaults(dir, f.fault)
	h := newHarness(t, embeddedIn(dir))
	journals := []*journal{newJournal("full-1"), newJournal("full-2"), newJournal("full-3")}
	for range rounds(20, 200) {
		f.count.Store(0)
		f.from = 1 + rand.Int64N(300)
		f.off.Store(false)
		untilAllStop(t, h, journals)
		if h.server.Health() == nil {
			t.Error("the server says it is well")
		}
		f.off.Store(true)
		h.mustAppend("full-4", anyRevision, events(1)...)
		if err := h.server.Health(); err != nil {
			t.Errorf("there is room again: %v", err)
		}
		for _, j := range journals {
			j.check(t, h.client, 0)
		}
	}
	if report := mustVerify(t, dir); len(report.Problems) > 0 {
		t.Errorf("the log is not sound: %q", report.Problems)
	}
}

// TestFault_strace lets the kernel's own answers fail: a sync, or a write for want of room, of an event store in another process. That process
// is the child (-D), so that it has ended when it was waited for.
func TestFault_strace(t *testing.T) {
	t.Parallel()
	if err := exec.Command("strace", "-o", "/dev/null", "true").Run(); err != nil {
		t.Skip("system calls cannot be made to fail here: ", err)
	}
	for round := range rounds(4, 60) {
		c := newCrashes(t, 4)
		inject := fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d+", 12+rand.IntN(40))
		if round%2 == 1 {
			inject = fmt.Sprintf("inject=pwrite64:error=ENOSPC:when=%d+", 30+rand.IntN(200))
		}
		server := startChild(t, c.dir, "strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,pwrite64", "-e", inject)
		client := newClient(t, server.addr)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		var group sync.WaitGroup
		for _, j := range c.journals {
			group.Go(func() {
				if err := j.appendAll(ctx, client, func() {}); err != nil { // until the first error
					t.Error(err)
				}
			})
		}
		group.Wait()
		if ctx.Err() != nil {
			t.Errorf("%s: no append failed", inject)
		}
		cancel()
		_ = client.Close()
		server.kill()
		c.finish()
	}
}
