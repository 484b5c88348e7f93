package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"moviola/internal/jail"
)

// ownHome is the home of a browser with a mount namespace. The folder exists on every system, and is accessible to everybody.
const ownHome = "/tmp"

// reservedMB is memory that every process of a browser reserves but does not use. The resource limit counts it, watchMemory does
// not.
const reservedMB = 256

// pipeDelay is the longest time until the pipes of a killed browser are closed.
const pipeDelay = 2 * time.Second

// process is a running browser process.
type process struct {
	pid    int
	home   string        // the browser's writable folder, as the browser sees it
	folder string        // the folder home as this process sees it; empty: it is in memory and vanishes with the browser
	ended  chan struct{} // closed when the process has been waited for
	// outOfMemory is true when the kernel has killed a process of the browser's control group because memory ran out. It
	// is set before ended is closed.
	outOfMemory bool
	notes       *tail // the end of the browser's error output

	in, out *os.File // the ends of the browser's DevTools pipes that this process uses
	ports   []net.Listener
}

// Ports of 127.0.0.1 in a browser's own network namespace. At pagePort the egress, the proxy through which pages reach the
// network, serves the requests of pages. At quietPort the requests that the browser makes on its own are refused.
const (
	pagePort  = 3128
	quietPort = 3129
)

// launch starts the browser in a sandbox of a level of strictness. The egress ports are open, but not served yet.
func launch(ctx context.Context, cfg Config, l level) (*process, error) {
	p := &process{ended: make(chan struct{}), notes: &tail{}, home: ownHome}
	if !l.mounts() {
		home, err := makeHome(cfg.Dir)
		if err != nil {
			return nil, err
		}
		p.home, p.folder = home, home
	}
	if err := p.launch(ctx, cfg, l); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

func (p *process) launch(ctx context.Context, cfg Config, l level) error {
	if !l.network() {
		if err := p.listen(); err != nil {
			return err
		}
	}
	ends, err := openPipes()
	if err != nil {
		return err
	}
	p.in, p.out = ends.read, ends.write
	defer ends.closeChild()
	ports := p.portNumbers()
	cmd, err := l.jail(cfg).Child(context.WithoutCancel(ctx), l.policy(p.home, ports, cfg.MemoryMB), cfg.Path,
		flags(p.home, l.sandbox, ports),
		ends.childRead, ends.childWrite) // the end of ctx does not end the browser: the method kill does
	if err != nil {
		return err
	}
	cmd.Env = []string{
		"HOME=" + p.home, "TMPDIR=" + p.home, "PATH=/usr/bin:/bin", "LANG=en_US.UTF-8", "TZ=UTC", "DBUS_SESSION_BUS_ADDRESS=disabled:",
	}
	cmd.Stderr = p.notes
	cmd.WaitDelay = pipeDelay
	err = p.run(cmd)
	cmd.Release()
	if cmd.Handover != nil {
		defer cmd.Handover.Close()
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", cfg.Path, err)
	}
	if l.network() {
		return p.receive(ctx, cmd.Handover)
	}
	return nil
}

// run starts the command and keeps the thread that started it until the command has ended. The kernel sends Pdeathsig when
// that thread ends: so the browser is killed at the end of this process, and not at the end of a thread before that.
func (p *process) run(cmd *jail.Child) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // an error is ignored: a browser is always killed, and its output is in notes
		}
		p.outOfMemory = cmd.End()
		close(p.ended)
	}()
	return <-started
}

// signal kills the browser with everything it has started.
func (p *process) signal() {
	if p.pid == 0 {
		return
	}
	select {
	case <-p.ended: // the browser has ended: another process may have its process id by now
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// starved waits, for at most twice pipeDelay, for the end of a browser that is ending, and reports whether the kernel has
// killed a process of its control group because memory ran out.
func (p *process) starved() bool {
	select {
	case <-p.ended:
		return p.outOfMemory
	case <-time.After(2 * pipeDelay):
		return false
	}
}

// kill kills the browser with all processes that it has started, and removes its files.
func (p *process) kill() {
	p.signal()
	if p.pid > 0 {
		<-p.ended
	}
	for _, f := range []*os.File{p.in, p.out} {
		if f != nil {
			f.Close()
		}
	}
	for _, port := range p.ports {
		port.Close()
	}
	if p.folder != "" {
		_ = os.RemoveAll(p.folder) // errors are ignored: the folder is a temporary one
	}
}

// makeHome makes the folder that a browser may write to.
func makeHome(dir string) (string, error) {
	home, err := os.MkdirTemp(dir, "moviola-browser-")
	if err != nil {
		return "", fmt.Errorf("make folder for a browser: %w", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(home, jail.Nobody, jail.Nobody); err != nil {
			return "", errors.Join(fmt.Errorf("give folder to the browser: %w", err), os.Remove(home))
		}
	}
	return filepath.Abs(home)
}

// listen opens the egress on this machine's loopback interface, for a browser without a network namespace.
func (p *process) listen() error {
	for range 2 {
		port, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("open egress: %w", err)
		}
		p.ports = append(p.ports, port)
	}
	return nil
}

// portNumbers returns the port for pages and the port for the browser itself.
func (p *process) portNumbers() []uint16 {
	if p.ports == nil {
		return []uint16{pagePort, quietPort}
	}
	var numbers []uint16
	for _, port := range p.ports {
		numbers = append(numbers, uint16(port.Addr().(*net.TCPAddr).Port))
	}
	return numbers
}

// receive receives the listeners of the ports that the jail has opened.
func (p *process) receive(ctx context.Context, handover *os.File) error {
	raw, err := net.FileConn(handover)
	if err != nil {
		return fmt.Errorf("receive egress: %w", err)
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	rights := make([]byte, unix.CmsgSpace(2*4))
	_, n, _, _, err := raw.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), rights)
	if err != nil || n == 0 {
		return fmt.Errorf("receive egress: %w: %s", errors.Join(err, errNoPorts), p.notes)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		return fmt.Errorf("receive egress: %w", err)
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return fmt.Errorf("receive egress: %w", err)
		}
		if err := p.adopt(fds); err != nil {
			return err
		}
	}
	return nil
}

var errNoPorts = errors.New("the jail opened no ports")

func (p *process) adopt(fds []int) error {
	var errs []error
	for _, fd := range fds {
		file := os.NewFile(uintptr(fd), "egress")
		port, err := net.FileListener(file)
		errs = append(errs, err, file.Close())
		if err == nil {
			p.ports = append(p.ports, port)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("receive egress: %w", err)
	}
	return nil
}

// pipes are both ends of the pipes to a browser.
type pipes struct {
	read, write           *os.File
	childRead, childWrite *os.File
}

func openPipes() (pipes, error) {
	var p pipes
	var errs [2]error
	p.childRead, p.write, errs[0] = os.Pipe()
	p.read, p.childWrite, errs[1] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		return pipes{}, fmt.Errorf("open pipes: %w", err)
	}
	return p, nil
}

func (p pipes) closeChild() {
	for _, f := range []*os.File{p.childRead, p.childWrite} {
		f.Close()
	}
}

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
