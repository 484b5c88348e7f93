package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"moviola/internal/jail"
)

// killDelay is the time from SIGTERM to SIGKILL.
const killDelay = 2 * time.Second

// pipeDelay is how long the output of an ended program is still read: on a busy machine its readers are late. After that,
// children of the program that hold its pipes are not waited for.
const pipeDelay = 30 * time.Second

// ExitError is the error of a program that ended with a failure, or by a signal that this package did not send. Its text
// includes the end of the program's error output: for log messages, never for clients.
type ExitError struct {
	Program string
	Code    int  // exit code; -1: a signal has ended the program
	Killed  bool // the program was killed by SIGKILL
	Memory  bool // the program was killed because its control group ran out of memory
	Tail    string
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s ended with %d: %s", e.Program, e.Code, e.Tail)
}

// process is one run of one program.
type process struct {
	program string
	args    []string
	policy  jail.Policy
	stdout  io.Writer
	stderr  io.Writer  // gets a copy of the error output of the program; may be nil
	files   []*os.File // file descriptors of the program from 3 on
	started func()     // called when the start of the program has succeeded or failed; may be nil
}

// run starts the program in its own process group and waits for it. When ctx ends, the group gets SIGTERM, then SIGKILL; the
// program has ended when run returns. The error is syscall.ENOSPC when the program found the disk full: then its exit code
// proves nothing, because programs also end with 0 after they could not write the end of a file.
func (t *Tools) run(ctx context.Context, p process) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	cmd, tail, err := t.command(ctx, p)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.program, err)
	}
	memory := false // the program was killed because its control group ran out of memory; read after done is closed
	done := make(chan error, 1)
	started := make(chan error, 1)
	go func() {
		// The program is killed with this process, by Pdeathsig. The kernel sends that signal already when the thread that started the
		// program ends, so this goroutine keeps the thread until the program has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		cmd.Release()
		started <- err
		if err == nil {
			err = cmd.Wait()
			memory = cmd.End()
			done <- err
			return
		}
		cmd.End()
	}()
	err = <-started
	if p.started != nil {
		p.started()
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", p.program, err)
	}
	err = await(ctx, cmd.Process.Pid, done)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if tail.fullDisk() {
		return fmt.Errorf("%s: %w: %s", p.program, syscall.ENOSPC, tail)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status, _ := exit.Sys().(syscall.WaitStatus)
		killed := status.Signaled() && status.Signal() == syscall.SIGKILL
		return &ExitError{Program: p.program, Code: exit.ExitCode(), Killed: killed, Memory: memory, Tail: tail.String()}
	}
	return err
}

func (t *Tools) command(ctx context.Context, p process) (*jail.Child, *tailBuffer, error) {
	// The function await, not the end of ctx, stops the program.
	cmd, err := t.jail.Child(context.WithoutCancel(ctx), p.policy, p.program, p.args, p.files...)
	if err != nil {
		return nil, nil, err
	}
	tail := &tailBuffer{}
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.Stdout = p.stdout
	cmd.Stderr = tail
	if p.stderr != nil {
		cmd.Stderr = io.MultiWriter(tail, p.stderr)
	}
	cmd.WaitDelay = pipeDelay
	return cmd, tail, nil
}

// await waits for the end of a process, and stops it when ctx ends.
func await(ctx context.Context, pid int, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	timer := time.NewTimer(killDelay)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	return <-done
}

// tailBuffer keeps the last bytes that are written to it.
type tailBuffer struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, p...)
	if over := len(b.kept) - tailSize; over > 0 {
		b.kept = append(b.kept[:0], b.kept[over:]...)
	}
	return len(p), nil
}

func (b *tailBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.TrimSpace(string(b.kept))
}

// fullMessages are what programs print when they cannot write because the disk is full. The PNG library of heif-convert does not
// print the cause.
var fullMessages = []string{syscall.ENOSPC.Error(), syscall.EDQUOT.Error(), "libpng error: write error"}

// fullDisk reports whether the program has said that the disk, or the quota of its user, is full.
func (b *tailBuffer) fullDisk() bool {
	said := strings.ToLower(b.String())
	return slices.ContainsFunc(fullMessages, func(message string) bool { return strings.Contains(said, message) })
}

// errTooMuch stops a program that prints more than expected.
var errTooMuch = errors.New("output too large")

// capped passes data on until left bytes are used up, then fails.
type capped struct {
	to   io.Writer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	if len(p) > c.left {
		return 0, errTooMuch
	}
	c.left -= len(p)
	return c.to.Write(p)
}
