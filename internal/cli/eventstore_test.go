package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/cli"
)

// runCommand runs the command line and returns its exit code and all that it printed.
func runCommand(args ...string) (int, string) {
	var out screen
	code := cli.Main(append([]string{"moviola"}, args...), &out, &out)
	return code, out.String()
}

// screen takes output and log lines, which come from several goroutines, as a terminal does.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func wantCommand(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	if got, out := runCommand(args...); got != code || !strings.Contains(out, says) {
		t.Errorf("moviola %s: exit code %d, want %d, and output with %q:\n%s", strings.Join(args, " "), got, code, says, out)
	}
}

// withLog serves the log in a folder while do runs.
func withLog(t *testing.T, dir string, do func(store eventstore.Store, addr string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	server, err := embedded.Open(embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	for { // on a busy machine the server may be found only after the first call has given up
		if _, err := store.Head(ctx); err == nil {
			break
		} else if !errors.Is(err, eventstore.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	do(store, server.Addr())
	for _, end := range []func() error{func() error { return store.Close(ctx) }, func() error { return server.Close(ctx) }, func() error { return <-served }} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

func mustAppend(t *testing.T, store eventstore.Store, stream string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i := range n {
		event := eventstore.Proposed{ID: uuid.New(), Type: "Tested", Data: fmt.Appendf(nil, `{"n":%d}`, i)}
		if _, err := store.Append(ctx, stream, eventstore.Revision(i)-1, event); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEventStore_backup goes the operator's road: back up beside the running server, verify, lose the folder, restore.
func TestEventStore_backup(t *testing.T) {
	t.Parallel()
	data, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup.db")
	wantCommand(t, 1, "there is no event log in "+data, "eventstore", "verify", "--data", data)
	withLog(t, data, func(store eventstore.Store, _ string) {
		mustAppend(t, store, "a-1", 20)
		wantCommand(t, 0, "is sound: 20 events of 1 streams", "eventstore", "verify", "--data", data)
		wantCommand(t, 0, "holds 20 events of 1 streams", "eventstore", "backup", "--data", data, "--to", backup)
		wantCommand(t, 1, "is there already", "eventstore", "backup", "--data", data, "--to", backup)
	})
	wantCommand(t, 0, "is sound: 20 events of 1 streams", "eventstore", "verify", "--data", data)
	wantCommand(t, 0, "is sound: 20 events of 1 streams", "eventstore", "verify", "--file", backup)
	restored := t.TempDir()
	content, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(restored, "events.db"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	withLog(t, restored, func(store eventstore.Store, _ string) { mustAppend(t, store, "b-1", 1) })
	wantCommand(t, 0, "is sound: 21 events of 2 streams", "eventstore", "verify", "--data", restored)
	content[len(content)/2] ^= 1
	if err := os.WriteFile(backup, content, 0o600); err != nil {
		t.Fatal(err)
	}
	wantCommand(t, 1, fmt.Sprintf("backup.db is damaged: page %d", len(content)/2/4096+1), "eventstore", "verify", "--file", backup)
}

// TestEventStore_copy copies from a folder that a server has open, and from one that none has.
func TestEventStore_copy(t *testing.T) {
	t.Parallel()
	source, target := t.TempDir(), t.TempDir()
	wantCommand(t, 1, "--to is missing", "eventstore", "copy", "--data", source)
	withLog(t, target, func(_ eventstore.Store, addr string) {
		wantCommand(t, 1, "there is no event log in", "eventstore", "copy", "--data", source, "--to", addr)
		withLog(t, source, func(store eventstore.Store, _ string) {
			mustAppend(t, store, "a-1", 20)
			wantCommand(t, 0, "copied 20 events", "eventstore", "copy", "--data", source, "--to", addr)
			mustAppend(t, store, "b-1", 3)
		})
		wantCommand(t, 0, "an earlier copy was continued: copied 3 events", "eventstore", "copy", "--data", source, "--to", addr)
		wantCommand(t, 0, "copied 0 events", "eventstore", "copy", "--data", source, "--to", addr)
	})
	wantCommand(t, 0, "is sound: 23 events of 2 streams", "eventstore", "verify", "--data", target)
}
