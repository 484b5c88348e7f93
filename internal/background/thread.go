// Package background runs work that should not keep what answers clients from the processor.
package background

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// nicer is by how much a thread stands behind what answers clients. Renders stand behind by 10.
const nicer = 5

// Thread is a thread of the operating system with a low priority, which does one thing after the other.
type Thread struct {
	work chan job
	end  func()
}

type job struct {
	do   func()
	done chan struct{}
}

// New starts a thread. Where priorities cannot be lowered, it has that of the others. Close must be called.
func New() *Thread {
	t := &Thread{work: make(chan job)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// It is not unlocked: the thread ends with its goroutine, as its priority cannot be raised again.
		runtime.LockOSThread()
		lower(unix.Gettid())
		for j := range t.work {
			j.do()
			close(j.done)
		}
	}()
	t.end = sync.OnceFunc(func() { close(t.work); <-ended })
	return t
}

// lower takes priority from a thread. What it cannot do leaves the thread as it is.
func lower(thread int) {
	const none = 20 // the system call's answer for a niceness of 0
	if answer, err := unix.Getpriority(unix.PRIO_PROCESS, thread); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, thread, none-answer+nicer) // beyond 19 is 19
	}
}

// Do runs a function on the thread and returns when it has ended. Those who call at the same time take turns.
func (t *Thread) Do(do func()) {
	j := job{do, make(chan struct{})}
	t.work <- j
	<-j.done
}

// Close ends the thread. No call may be under way or follow.
func (t *Thread) Close() { t.end() }
