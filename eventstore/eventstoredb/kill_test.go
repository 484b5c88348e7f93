package eventstoredb_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

// childFolder is the variable that makes the test binary an event store over a folder instead.
const childFolder = "MOVIOLA_TEST_EVENTSTORE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := serveAsChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := resolveHere(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serveAsChild serves until the parent is gone, and says on standard output where.
func serveAsChild(dir string) error {
	server, err := embedded.Open(embedded.Config{Dir: dir, NeedsPass: true})
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(2)
	}()
	fmt.Println(server.Addr())
	return server.Serve()
}

// child is an event store in a process of its own, to be killed.
type child struct {
	process *exec.Cmd
	stdin   io.Closer
	addr    string
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	process := exec.Command(os.Args[0])
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
		t.Fatalf("the event store does not start again: %v", err)
	}
	return &child{process: process, stdin: stdin, addr: strings.TrimSpace(line)}
}

func (c *child) kill() {
	_ = c.process.Process.Kill() // SIGKILL; the process is there, nobody else waits for it
	_ = c.process.Wait()         // its error is the signal
	_ = c.stdin.Close()
}

// TestKill kills the event store under its callers again and again. What was acknowledged is there after it, in its order;
// what is there twice would show as a conflict of its caller, whose repeated append carries the same id and revision.
func TestKill(t *testing.T) {
	t.Parallel()
	const rounds = 20
	dir := t.TempDir()
	server := startChild(t, dir)
	store := openStore(t, eventstoredb.Config{Addr: server.addr})
	crowd := newCrowd(t, store)
	crowd.start()
	follower := follow(t, store)
	for round := range rounds {
		crowd.awaitRounds(1)
		pause(time.Duration(round*7%40) * time.Millisecond)
		server.kill()
		server = startChild(t, dir)
	}
	crowd.awaitRounds(1)
	crowd.stop()
	stored := crowd.check()
	follower.await(stored)
	crowd.wantNoDuplicates()
	acked := 0
	for i := range callers {
		acked += len(crowd.acked[i])
	}
	t.Logf("%d kills: %d events acknowledged, %d stored, none lost, none doubled", rounds, acked, stored)
	server.kill()
}

// TestFreeze stops the event store without closing anything: it accepts and does not answer. Calls end nevertheless.
func TestFreeze(t *testing.T) {
	server := startChild(t, t.TempDir())
	crowd := newCrowd(t, openStore(t, eventstoredb.Config{Addr: server.addr}))
	crowd.start()
	crowd.awaitRounds(2)
	if err := server.process.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	crowd.awaitFailures(2) // the first may have begun before it stopped
	if err := server.process.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	crowd.awaitRounds(2)
	crowd.stop()
	crowd.check()
	server.kill()
}
