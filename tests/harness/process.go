// Package harness runs the built program from outside, as a user would: it builds the binary, starts and kills processes,
// talks to the HTTP interface, serves assets, receives webhooks and looks into finished movies with ffprobe.
package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Root is the top folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(data, []byte("module moviola\n")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod of moviola above the working directory")
		}
	}
}

// BinariesVariable names a folder in which several packages of tests share what they build. scripts/test.sh and .ci/run set it.
const BinariesVariable = "MOVIOLA_TEST_BINARIES"

// Built programs are in one folder: the one that BinariesVariable names, or one of this process.
var (
	buildLock sync.Mutex
	builtDir  string // folder of this process, which RemoveBinaries removes; empty: none was made
)

// NewerBinary builds the program as a later version that adds an event, a version of an event, and shapes of read models.
func NewerBinary(t testing.TB) string {
	t.Helper()
	return build(t, "moviola-newer", Root(t), append(os.Environ(), "CGO_ENABLED=0"), "-tags", "moviola_newer", ".")
}

// Binary builds the program, under the race detector when MOVIOLA_TEST_RACE is set, and returns its path.
func Binary(t testing.TB) string {
	t.Helper()
	if os.Getenv("MOVIOLA_TEST_RACE") != "" {
		return build(t, "moviola", Root(t), append(os.Environ(), "CGO_ENABLED=1"), "-race", ".")
	}
	return made(t, "moviola", func(path string) error {
		return Run(Root(t), os.Environ(), filepath.Join(Root(t), "scripts", "build.sh"), path)
	})
}

// build builds a program in a folder of the sources, unless it has been built, and returns its path.
func build(t testing.TB, name, dir string, env []string, args ...string) string {
	t.Helper()
	return made(t, name, func(path string) error {
		return Run(dir, env, "go", append([]string{"build", "-o", path}, args...)...)
	})
}

// made returns the path of a program. If the program does not exist yet, made calls produce, which makes it at that path.
func made(t testing.TB, name string, produce func(path string) error) string {
	t.Helper()
	buildLock.Lock()
	defer buildLock.Unlock()
	to := os.Getenv(BinariesVariable)
	if to == "" {
		if builtDir == "" {
			made, err := os.MkdirTemp("", "moviola-bin-")
			if err != nil {
				t.Fatal(err)
			}
			builtDir = made
		}
		to = builtDir
	}
	path := filepath.Join(to, name)
	if err := once(path, func() error { return produce(path) }); err != nil {
		t.Fatalf("build %s: %v", name, err)
	}
	return path
}

// once lets a single process build a file that does not exist yet; the others wait for the file.
func once(path string, build func() error) error {
	return Locked(path, func() error {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		return build()
	})
}

// Locked lets one process at a time build a file, so that no process starts a file that is being written.
func Locked(path string, build func() error) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // closing the file releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return build()
}

// RemoveBinaries deletes the programs that this process has built for itself. TestMain calls it last.
func RemoveBinaries() {
	if builtDir != "" {
		_ = os.RemoveAll(builtDir)
	}
}

// Run runs a program to its end; what it printed is part of the error.
func Run(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Process is a running program, in a process group of its own, whose output is kept.
type Process struct {
	t    testing.TB
	Name string
	cmd  *exec.Cmd
	out  *output
	done chan struct{} // closed when it has ended
	err  error         // how it ended; read after done
}

// Start runs a program until the test ends. Its output is shown when the test fails.
func Start(t testing.TB, name, path string, env []string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, Name: name, out: &output{}, done: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, p.out.tail(12_000))
		}
	})
	return p
}

// Kill ends the process, and what it has started in its process group, with SIGKILL and waits. It may have ended before.
func (p *Process) Kill() {
	p.t.Helper()
	if err := syscall.Kill(-p.Pid(), syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.t.Errorf("kill %s: %v", p.Name, err)
	}
	p.wait()
}

// Signal sends a signal to the process alone.
func (p *Process) Signal(signal syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Fatalf("signal %v to %s: %v", signal, p.Name, err)
	}
}

// Terminate sends SIGTERM and waits; it fails the test when the process does not end with exit code 0.
func (p *Process) Terminate() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	p.wait()
	if p.err != nil {
		p.t.Errorf("%s ended with %v after SIGTERM", p.Name, p.err)
	}
}

func (p *Process) wait() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(Patience):
		p.t.Fatalf("%s did not end within %v", p.Name, Patience)
	}
}

// EndsWithin waits for the process to end, for a limited time, and reports whether it has ended.
func (p *Process) EndsWithin(limit time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(limit):
		return false
	}
}

// Pid is the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited reports whether the process has ended.
func (p *Process) Exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Output is what the process has printed so far.
func (p *Process) Output() string { return p.out.String() }

// output collects what a process prints; it is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) tail(n int) string {
	s := o.String()
	return s[max(0, len(s)-n):]
}

// waitIdle waits until no process works in a folder: a process that still writes there would prevent its removal.
func waitIdle(t testing.TB, dir string) {
	t.Helper()
	Eventually(t, "no process is left in "+dir, func() bool { return len(processesIn(t, dir)) == 0 })
}

// processesIn are the commands of the processes that work in a folder or name it in their arguments.
func processesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		cmdline, err := os.ReadFile(filepath.Join(entry, "cmdline"))
		if err != nil {
			continue // the process has ended meanwhile
		}
		cwd, err := os.Readlink(filepath.Join(entry, "cwd"))
		if bytes.Contains(cmdline, []byte(dir)) || err == nil && strings.HasPrefix(cwd, dir) {
			found = append(found, strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}
