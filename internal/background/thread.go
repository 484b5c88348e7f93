// Package background runs work at a low priority, so that it does not delay responses.
package background

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// nicer is added to the niceness of the process for the niceness of the thread: on a busy machine the thread gets less
// processor time than the rest of the process. It usually gets more than sandboxed programs, whose niceness is at least 10.
const nicer = 5

// Thread is an operating system thread with a low priority, which runs one function after the other.
type Thread struct {
	work chan job
	end  func()
}

type job struct {
	do   func()
	done chan struct{}
}

// New starts a thread. If its priority cannot be lowered, it keeps the normal one. Close must be called.
func New() *Thread {
	t := &Thread{work: make(chan job)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// The goroutine never unlocks the thread, so that the thread ends with it: its priority cannot be raised again.
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

// lower lowers the priority of a thread. Errors leave the priority unchanged.
func lower(thread int) {
	const none = 20 // the system call returns 20 for a niceness of 0
	if answer, err := unix.Getpriority(unix.PRIO_PROCESS, thread); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, thread, none-answer+nicer) // a niceness above 19 counts as 19
	}
}

// Do runs a function on the thread and returns when it has ended. Concurrent calls run one after the other.
func (t *Thread) Do(do func()) {
	j := job{do, make(chan struct{})}
	t.work <- j
	<-j.done
}

// Close ends the thread. No call of Do may be running or follow.
func (t *Thread) Close() { t.end() }
