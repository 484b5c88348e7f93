package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"moviola/eventstore/embedded"
)

// childFolder is the variable that makes the test binary an event store over a folder instead.
const childFolder = "MOVIOLA_TEST_EMBEDDED_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := serveAsChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveAsChild serves until the parent is gone, and says on standard output where.
func serveAsChild(dir string) error {
	began := time.Now()
	server, err := embedded.Open(embedded.Config{Dir: dir, Scavenge: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	opened := time.Since(began)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(2)
	}()
	fmt.Println(server.Addr(), opened)
	return server.Serve()
}

// child is an event store in a process of its own, to be killed.
type child struct {
	process *exec.Cmd
	stdin   io.Closer
	addr    string
	opened  time.Duration // how long it took to open the log
}

// startChild starts an event store, through a program that is given before it, such as strace.
func startChild(t testing.TB, dir string, through ...string) *child {
	t.Helper()
	command := append(through, os.Args[0])
	process := exec.Command(command[0], command[1:]...)
	process.Env = append(os.Environ(), childFolder+"="+dir)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the event store does not start: %v", err)
	}
	addr, took, _ := strings.Cut(strings.TrimSpace(line), " ")
	opened, err := time.ParseDuration(took)
	if err != nil {
		t.Fatal(err)
	}
	return &child{process: process, stdin: stdin, addr: addr, opened: opened}
}

func (c *child) kill() {
	_ = c.process.Process.Kill() // SIGKILL; the process is there, nobody else waits for it
	_ = c.process.Wait()         // its error is the signal
	_ = c.stdin.Close()
}

// journal is what one caller knows of its stream: the ids that were acknowledged, and the one that may or may not be stored.
type journal struct {
	stream string
	acked  []uuid.UUID
	open   *uuid.UUID
	stuck  bool         // a call was left behind in the client
	cut    *atomic.Bool // set before the power is cut: what is answered from then on may come from the moment of the cut
}

// stuckAfter is how long a call that was told to end may take before it is left behind.
const stuckAfter = time.Second

func newJournal(stream string) *journal { return &journal{stream: stream, cut: new(atomic.Bool)} }

// appendAll appends until the server is gone or ctx ends. What failed is repeated as it was, the next time.
func (j *journal) appendAll(ctx context.Context, client *esdb.Client, tick func()) error {
	for ctx.Err() == nil {
		if j.open == nil {
			id := uuid.New()
			j.open = &id
		}
		var expected esdb.ExpectedRevision = esdb.NoStream{}
		if n := len(j.acked); n > 0 {
			expected = esdb.Revision(uint64(n - 1))
		}
		event := esdb.EventData{EventID: *j.open, EventType: "Called", ContentType: esdb.ContentTypeJson,
			Data: fmt.Appendf(nil, `{"n":%d,"text":%q}`, len(j.acked), strings.Repeat("x", len(j.acked)%500))}
		written, err := j.append(ctx, client, expected, event)
		if err != nil {
			if isConflict(err) {
				return fmt.Errorf("append %d to %s: %w", len(j.acked), j.stream, err)
			}
			return nil
		}
		if written.NextExpectedVersion != uint64(len(j.acked)) {
			return fmt.Errorf("append %d to %s ended at revision %d", len(j.acked), j.stream, written.NextExpectedVersion)
		}
		if j.cut.Load() {
			return nil
		}
		j.acked, j.open = append(j.acked, *j.open), nil
		tick()
	}
	return nil
}

// append appends one event, and gives up when ctx ends: a call to the official client that has lost its server may hang for ever. The
// client must then not be closed under it.
func (j *journal) append(ctx context.Context, client *esdb.Client, expected esdb.ExpectedRevision, event esdb.EventData) (*esdb.WriteResult, error) {
	type answer struct {
		written *esdb.WriteResult
		err     error
	}
	answered := make(chan answer, 1)
	go func() {
		written, err := client.AppendToStream(ctx, j.stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, event)
		answered <- answer{written, err}
	}()
	select {
	case a := <-answered:
		return a.written, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answered:
		return a.written, a.err
	case <-time.After(stuckAfter):
		j.stuck = true
		return nil, ctx.Err()
	}
}

func isConflict(err error) bool {
	var failure *esdb.Error
	return errors.As(err, &failure) && failure.IsErrorCode(esdb.ErrorCodeWrongExpectedVersion)
}

// check compares a stream with the journal: all that was acknowledged is there, in its order, and at most the open one behind it.
func (j *journal) check(t *testing.T, client *esdb.Client, from int) {
	t.Helper()
	read, err := client.ReadStream(context.Background(), j.stream, esdb.ReadStreamOptions{From: esdb.Revision(uint64(from))}, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	n := from
	for event, err := range received(read) {
		if err != nil && len(j.acked) == 0 {
			return // there is no such stream yet
		}
		if err != nil {
			t.Fatalf("read %s: %v", j.stream, err)
		}
		switch id := event.OriginalEvent().EventID; {
		case n < len(j.acked) && id == j.acked[n]:
		case n == len(j.acked) && j.open != nil && id == *j.open:
		default:
			t.Fatalf("event %d of %s is not the one that was acknowledged", n, j.stream)
		}
		n++
	}
	if n < len(j.acked) {
		t.Fatalf("%s has %d events, %d were acknowledged", j.stream, n, len(j.acked))
	}
}

// crashes is a log that is killed again and again under its callers.
type crashes struct {
	*testing.T
	dir      string
	journals []*journal
	checked  []int // events of each stream that were compared once
	cut      atomic.Bool
}

func newCrashes(t *testing.T, callers int) *crashes {
	c := &crashes{T: t, dir: t.TempDir(), checked: make([]int, callers)}
	for i := range callers {
		c.journals = append(c.journals, &journal{stream: fmt.Sprintf("crash-%d", i), cut: &c.cut})
	}
	return c
}

// round starts the event store, checks what it has, lets everybody append, and ends it after some acknowledgements.
func (c *crashes) round(server *child, acks int, end func()) {
	c.Helper()
	c.cut.Store(false)
	client := newClient(c, server.addr)
	for i, j := range c.journals {
		j.check(c.T, client, c.checked[i])
		c.checked[i] = max(len(j.acked)-1, 0)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ticks := make(chan struct{}, 1024)
	var group sync.WaitGroup
	for _, j := range c.journals {
		group.Go(func() {
			tick := func() {
				select {
				case ticks <- struct{}{}:
				default:
				}
			}
			for ctx.Err() == nil { // an append may fail before the event store is ended
				if err := j.appendAll(ctx, client, tick); err != nil {
					c.Error(err)
					return
				}
			}
		})
	}
	for range acks {
		select {
		case <-ticks:
		case <-ctx.Done():
			c.Fatal("the event store does not answer")
		}
	}
	end()
	cancel()
	group.Wait()
	left := false
	for _, j := range c.journals {
		left, j.stuck = left || j.stuck, false
	}
	if !left {
		_ = client.Close() // it returns nil
	}
}

// finish compares everything, and verifies the file.
func (c *crashes) finish() {
	c.Helper()
	server := startChild(c.T, c.dir)
	client := newClient(c, server.addr)
	total := 0
	for _, j := range c.journals {
		j.check(c.T, client, 0)
		total += len(j.acked)
	}
	_ = client.Close()
	server.kill()
	if report := mustVerify(c.T, c.dir); len(report.Problems) > 0 {
		c.Errorf("the log is not sound: %q", report.Problems)
	} else if report.Events < int64(total) {
		c.Errorf("the log has %d events, %d were acknowledged", report.Events, total)
	} else {
		c.Logf("%d events acknowledged, %d in the log", total, report.Events)
	}
}

// TestKill kills the event store under its callers. Every start finds all that was acknowledged, once and in order.
func TestKill(t *testing.T) {
	t.Parallel()
	c := newCrashes(t, 8)
	began := time.Now()
	n := rounds(60, 2000)
	for range n {
		server := startChild(t, c.dir)
		c.round(server, rand.IntN(30), server.kill)
	}
	t.Logf("%d kills in %v", n, time.Since(began))
	c.finish()
}
