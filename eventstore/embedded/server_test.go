package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/eventstore/embedded"
)

// TestOpen_again opens a log that was closed, and one that is open.
func TestOpen_again(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	first := newHarness(t, embedded.Config{Dir: dir})
	written := first.mustAppend("a", esdb.NoStream{}, events(3)...)
	if server, err := embedded.Open(embedded.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a folder was opened twice: %v, %v", server, err)
	}
	if err := closeServer(first.server); err != nil {
		t.Fatal(err)
	}
	second := newHarness(t, embedded.Config{Dir: dir})
	if first.server.Addr() != second.server.Addr() {
		t.Errorf("the address was %s and is %s", first.server.Addr(), second.server.Addr())
	}
	next := second.mustAppend("a", esdb.Revision(2), events(1)...)
	if second.server.Head() != next.CommitPosition || first.server.Head() != written.CommitPosition {
		t.Errorf("the logs end at %d and %d, after %+v and %+v", first.server.Head(), second.server.Head(), written, next)
	}
	if next.NextExpectedVersion != 3 || next.CommitPosition != written.CommitPosition+1 {
		t.Errorf("the next event is at %+v, after %+v", next, written)
	}
	got, err := second.read("a", esdb.ReadStreamOptions{}, 10)
	if diff := cmp.Diff([]uint64{0, 1, 2, 3}, got); diff != "" || err != nil {
		t.Errorf("after opening again: %v, revisions (-want +got):\n%s", err, diff)
	}
}

func TestOpen_foreignFile(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"another version": func(path string) error { return execute(path, "PRAGMA user_version = 99") },
		"no database": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("this is not a database. ", 100)), 0o600)
		},
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, "events.db")); err != nil {
			t.Fatal(err)
		}
		if _, err := embedded.Open(embedded.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: opened, or the error does not name the folder: %v", name, err)
		}
		if err := os.Remove(filepath.Join(dir, "events.db")); err != nil {
			t.Fatal(err)
		}
		newHarness(t, embedded.Config{Dir: dir}) // what failed has left nothing locked
	}
}

// execute runs a statement on a SQLite file.
func execute(path, statement string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteTransient(conn, statement, nil), conn.Close())
}

// TestCorruption changes stored events behind the server's back.
func TestCorruption(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`data = CAST('{"n":7}' AS BLOB)`, `metadata = x'00'`, `type = 'Other'`, `id = zeroblob(16)`, `created = created + 1`, `json = 0`,
	} {
		dir := t.TempDir()
		h := newHarness(t, embedded.Config{Dir: dir})
		h.mustAppend("a", esdb.NoStream{}, events(3)...)
		if err := execute(filepath.Join(dir, "events.db"), "UPDATE events SET "+change+" WHERE revision = 1"); err != nil {
			t.Fatal(err)
		}
		got, err := h.read("a", esdb.ReadStreamOptions{}, 10)
		if len(got) > 1 || status.Code(err) != codes.DataLoss {
			t.Errorf("%s: read %v, %v, want %v", change, got, err, codes.DataLoss)
		}
		if want := "event 1 of stream a (position 2)"; err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error %q does not say %q", change, err, want)
		}
	}
}

// TestWriteFailure lets commits fail. After a failed write nothing is acknowledged until a restart; a full disk is forgiven.
func TestWriteFailure(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   error
		forgive bool
	}{
		"a failed sync": {errors.New("input/output error"), false},
		"a full disk":   {embedded.ErrFull, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failing atomic.Bool
			server, err := embedded.OpenFaulty(embedded.Config{Dir: t.TempDir()}, func() error {
				if failing.Load() {
					return tt.fault
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			h := serveHarness(t, server)
			h.mustAppend("a", esdb.NoStream{}, events(2)...)
			failing.Store(true)
			for range 2 {
				if _, err := h.append("a", esdb.Revision(1), events(1)...); status.Code(err) != codes.Internal {
					t.Errorf("an append that was not stored: %v", err)
				}
			}
			if server.Health() == nil {
				t.Error("the server says it is well")
			}
			failing.Store(false)
			_, err = h.append("a", esdb.Revision(1), events(1)...)
			if (err == nil) != tt.forgive || (server.Health() == nil) != tt.forgive {
				t.Errorf("after the fault: append %v, health %v, want them well: %v", err, server.Health(), tt.forgive)
			}
			want := []uint64{0, 1}
			if tt.forgive {
				want = append(want, 2)
			}
			got, err := h.read("a", esdb.ReadStreamOptions{}, 10)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("reading goes on: %v, revisions (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "[::]:0"} {
		if _, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Listen: address}); err == nil {
			t.Errorf("the server listens on %s without TLS", address)
		}
	}
	h := newHarness(t, embedded.Config{Listen: "localhost:0"})
	if host, port, err := net.SplitHostPort(h.server.Addr()); err != nil || port == "0" || !net.ParseIP(host).IsLoopback() {
		t.Errorf("the address is %s", h.server.Addr())
	}
	h.mustAppend("a", esdb.NoStream{}, events(1)...)
}

// TestListen_socket looks at who may open the socket, in a data folder with a short path and in one too long for a socket.
func TestListen_socket(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long/", 30))} {
		first := newHarness(t, embedded.Config{Dir: dir})
		path := strings.TrimPrefix(first.server.Addr(), "unix://")
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want mode %o", name, info, err, want)
			}
		}
		t.Cleanup(func() { _ = os.Remove(filepath.Dir(path)) }) // the one under the temporary folder
		first.mustAppend("a", esdb.NoStream{}, events(1)...)
		if err := closeServer(first.server); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil { // as a killed process leaves its socket
			t.Fatal(err)
		}
		second := newHarness(t, embedded.Config{Dir: dir})
		if second.server.Addr() != first.server.Addr() {
			t.Errorf("the address was %s and is %s", first.server.Addr(), second.server.Addr())
		}
		second.mustAppend("a", esdb.Revision(0), events(1)...)
		if err := closeServer(second.server); err != nil {
			t.Fatal(err)
		}
	}
}

// TestListen_foreignFolder puts something else where the socket's folder should be: others could look in.
func TestListen_foreignFolder(t *testing.T) {
	t.Parallel()
	open, link := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(open, "socket"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(link, "socket")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{open, link} {
		if _, err := embedded.Open(embedded.Config{Dir: dir}); err == nil {
			t.Errorf("the server put its socket into a folder that is not its own alone")
		}
	}
}

// TestClose closes a server that was never served, twice.
func TestClose(t *testing.T) {
	t.Parallel()
	server, err := embedded.Open(embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := closeServer(server); err != nil {
			t.Error(err)
		}
	}
	if err := server.Serve(); err != nil {
		t.Errorf("serving a closed server: %v", err)
	}
}

// TestClose_impatient does not wait for running calls when its context has ended.
func TestClose_impatient(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{})
	call, err := h.wire.Append(h.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(toStream("a")); err != nil {
		t.Fatal(err)
	}
	h.mustAppend("b", esdb.NoStream{}, events(1)...) // the server answers, so the open call has reached it
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.server.Close(ended); err != nil {
		t.Error(err)
	}
	if _, err := call.CloseAndRecv(); err == nil {
		t.Error("a call was answered by a closed server")
	}
}
