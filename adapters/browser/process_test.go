package browser_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/adapters/browser"
	"moviola/domain"
	"moviola/internal/jail"
)

// alive says whether a process runs.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// requireGone waits until none of the processes runs any more.
func requireGone(t *testing.T, pids []int) {
	t.Helper()
	eventually(t, "the browser's processes are gone", func() bool {
		for _, pid := range pids {
			if alive(pid) {
				return false
			}
		}
		return true
	})
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("it does not come to be that %s", what)
		}
	}
}

// facts are what /proc says about a process.
type facts struct {
	args       string
	status     map[string]string
	namespaces map[string]string
}

// read returns the facts of a process, unless it ends meanwhile.
func read(pid int) (facts, bool) {
	f := facts{status: map[string]string{}, namespaces: map[string]string{}}
	args, errArgs := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	lines, errLines := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	f.args = strings.ReplaceAll(string(args), "\x00", " ")
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(line, ":")
		f.status[name] = strings.TrimSpace(value)
	}
	for _, kind := range []string{"net", "pid", "mnt", "user", "ipc"} {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
		if err != nil {
			return f, false
		}
		f.namespaces[kind] = link
	}
	return f, errArgs == nil && errLines == nil
}

// Reliability §5 H0: every renderer has Chromium's filter of system calls and its own view of processes, and the jail around it.
func TestProcess_IsConfined(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100})
	if level := pool.Level(); level != 0 {
		t.Skipf("this kernel allows %q only", browser.Levels()[level])
	}
	own, _ := read(os.Getpid())
	renderers := 0
	for _, pid := range pool.Processes() {
		p, ok := read(pid)
		if !ok {
			continue
		}
		if strings.HasPrefix(p.status["Uid"], "0\t") || os.Geteuid() == 0 && p.status["Groups"] != "" {
			t.Errorf("%s: is user %s of groups %s", p.args, p.status["Uid"], p.status["Groups"])
		}
		if p.status["NoNewPrivs"] != "1" {
			t.Errorf("%s: may gain rights", p.args)
		}
		for kind, space := range p.namespaces {
			if space == own.namespaces[kind] {
				t.Errorf("%s: shares our %s namespace", p.args, kind)
			}
		}
		if !strings.Contains(p.args, "--type=renderer") {
			continue
		}
		renderers++
		if p.status["Seccomp"] != "2" {
			t.Errorf("a renderer has Seccomp %s", p.status["Seccomp"])
		}
		if got := strings.Fields(p.status["NSpid"]); len(got) < 3 {
			t.Errorf("a renderer has the process ids %v: no namespace of its own", got)
		}
	}
	if renderers == 0 {
		t.Error("there are no renderers to look at")
	}
}

func TestProcess_EveryLevelDraws(t *testing.T) {
	t.Parallel()
	for i, name := range browser.Levels() {
		t.Run(name, func(t *testing.T) {
			if err := namespaces(); err != nil && browser.NeedsNamespaces(i) {
				t.Skip("this machine allows no user namespaces: ", err)
			}
			pool := open(t, browser.Config{Browsers: 1})
			pool.SetLevel(i)
			if got := at(still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100}), 10, 10); got != "200,30,60,255" {
				t.Errorf("the box is %s", got)
			}
			if pool.Level() != i {
				t.Errorf("it does not work here, %s does", browser.Levels()[pool.Level()])
			}
		})
	}
}

func TestProcess_WithoutJailerItIsStillDrawn(t *testing.T) {
	t.Parallel()
	off, err := jail.New(jail.Config{Off: true})
	if err != nil {
		t.Fatal(err)
	}
	pool := open(t, browser.Config{Jail: off})
	if got := at(still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100}), 10, 10); got != "200,30,60,255" {
		t.Errorf("the box is %s", got)
	}
	if got := pool.Level(); got != bareLevel() {
		t.Errorf("it is confined by %q", browser.Levels()[got])
	}
}

func TestProcess_IsGoneAfterClose(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	for i := range browser.Levels() {
		pool := open(t, browser.Config{Dir: dir})
		pool.SetLevel(i)
		still(t, pool, browser.Page{HTML: box, Width: 100, Height: 100})
		pids := pool.Processes()
		if len(pids) < 3 {
			t.Errorf("a browser of %d processes", len(pids))
		}
		if err := pool.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		requireGone(t, pids)
		if _, err := pool.Still(t.Context(), browser.Page{HTML: box, Width: 9, Height: 9}); err == nil {
			t.Error("a closed pool draws")
		}
	}
	left, err := filepath.Glob(dir + "/*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// openFolder is a folder that everybody can go to, unlike those of the test.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the last process of a browser may still write
		eventually(t, "the folder is removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestProcess_CloseDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	failed := make(chan error, 1)
	go func() {
		endless := browser.Page{HTML: "<script>for(;;);</script>", Width: 9, Height: 9}
		_, err := started(func() (*image.NRGBA, error) { return pool.Still(context.Background(), endless) })
		failed <- err
	}()
	eventually(t, "a browser runs", func() bool { return len(pool.Processes()) > 3 })
	pids := pool.Processes()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if err := pool.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("an endless page was drawn")
	}
	requireGone(t, pids)
}

// TestProcess_CloseBlamesNoPage: a page that Close ends is not to blame, so that its movie is rendered again.
func TestProcess_CloseBlamesNoPage(t *testing.T) {
	t.Parallel()
	loads := make(chan struct{}, 1)
	pool := open(t, browser.Config{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		loads <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	failed := make(chan error, 1)
	go func() {
		waiting := browser.Page{HTML: `<script src="http://slow.example/"></script>`, Width: 9, Height: 9}
		_, err := started(func() (*image.NRGBA, error) { return pool.Still(context.Background(), waiting) })
		failed <- err
	}()
	<-loads
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := pool.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if err, blamed := <-failed, new(domain.Error); err == nil || errors.As(err, &blamed) {
		t.Errorf("the page ends with %v", err)
	}
}

// A browser that is ended by Close while it comes up is not tried again with less confinement.
func TestProcess_CloseEndsWhatStarts(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = pool.Still(context.Background(), browser.Page{HTML: box, Width: 9, Height: 9}) // it may just be done
	}()
	eventually(t, "a browser starts", func() bool { return len(pool.Processes()) > 0 })
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_ = pool.Close(ctx)
	<-ended
	if n := len(pool.Processes()); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if got := pool.Level(); got > jailedLevel() {
		t.Errorf("it was confined by %q", browser.Levels()[got])
	}
}

func TestProcess_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{})
	cancelled := errors.New("the render was cancelled")
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		eventually(t, "a browser runs", func() bool { return len(pool.Processes()) > 3 })
		stop(cancelled)
	}()
	endless := browser.Page{HTML: "<script>for(;;);</script>", Width: 9, Height: 9}
	if _, err := started(func() (*image.NRGBA, error) { return pool.Still(ctx, endless) }); !errors.Is(err, cancelled) {
		t.Errorf("error is %v, want the cause of the end", err)
	}
	eventually(t, "the endless page is gone", func() bool { return len(pool.Processes()) == 0 })
}

// A browser is ended after so many pages, and when nobody has needed it for a while.
func TestProcess_IsRenewed(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Browsers: 1, Pages: 2})
	first := map[int]int{}
	for range 6 {
		still(t, pool, browser.Page{HTML: box, Width: 9, Height: 9})
		for _, pid := range pool.Processes() {
			first[pid]++
			break
		}
	}
	if len(first) != 3 { // after the second, fourth and sixth page none is left
		t.Errorf("browsers after each page: %v, want three of them once each", first)
	}
	lazy := open(t, browser.Config{Idle: 50 * time.Millisecond})
	still(t, lazy, browser.Page{HTML: box, Width: 9, Height: 9})
	eventually(t, "the idle browser is gone", func() bool { return len(lazy.Processes()) == 0 })
	still(t, lazy, browser.Page{HTML: box, Width: 9, Height: 9})
}

func TestProcess_DiesAndIsReplaced(t *testing.T) {
	t.Parallel()
	pool := open(t, browser.Config{Browsers: 1})
	for range 3 {
		still(t, pool, browser.Page{HTML: box, Width: 9, Height: 9})
		pids := pool.Processes()
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		requireGone(t, pids[:1])
	}
}

// helperEnv makes the test program open a pool, print the browser's processes and wait to be killed.
const helperEnv = "BROWSER_TEST_LEVEL"

func helperMain() {
	level, err := strconv.Atoi(os.Getenv(helperEnv))
	if err != nil {
		os.Exit(2)
	}
	jails, err := jail.New(jail.Config{Self: os.Args[0]})
	if err != nil {
		os.Exit(2)
	}
	pool, err := browser.New(browser.Config{Limit: patience, Dial: (&net.Dialer{}).DialContext, Jail: jails})
	if err != nil {
		os.Exit(2)
	}
	pool.SetLevel(level)
	if _, err := started(func() (*image.NRGBA, error) {
		return pool.Still(context.Background(), browser.Page{HTML: box, Width: 9, Height: 9})
	}); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	fmt.Println(strings.Trim(fmt.Sprint(pool.Processes()), "[]"))
	select {}
}

func TestProcess_IsGoneWithItsParent(t *testing.T) {
	t.Parallel()
	for i := range browser.Levels() {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", helperEnv, i), "TMPDIR="+openFolder(t))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("level %d: %v", i, err)
		}
		var pids []int
		for _, field := range strings.Fields(line) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatalf("level %d: helper says %s", i, line)
			}
			pids = append(pids, pid)
		}
		if len(pids) < 3 || !alive(pids[0]) {
			t.Errorf("level %d: no browser runs: %v", i, pids)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		requireGone(t, pids)
	}
}
