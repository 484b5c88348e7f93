package entry

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSameUser connects as this user, who is served, and as another, whose connection is closed.
func TestSameUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, to connect as another user")
	}
	// A socket without a file: nothing but its listener can refuse a connection.
	bare, err := net.Listen("unix", "@moviola-test-"+strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bare.Close() })
	go func() {
		for {
			conn, err := (sameUser{bare}).Accept()
			if err != nil {
				return // the test has ended
			}
			_, _ = conn.Write([]byte("served"))
			_ = conn.Close()
		}
	}()
	for _, user := range []struct {
		id   int
		want string
	}{{0, "served"}, {65534, ""}} {
		if got, err := greeting(bare.Addr().String(), user.id); got != user.want || err != nil {
			t.Errorf("user %d was told %q, %v; want %q", user.id, got, err, user.want)
		}
	}
}

// greeting connects as a user and reads to the end. Only one thread becomes that user; it ends with its goroutine.
func greeting(address string, user int) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		runtime.LockOSThread()
		if _, _, failed := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(user), uintptr(user), uintptr(user)); failed != 0 {
			answers <- answer{err: failed}
			return
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		file := os.NewFile(uintptr(fd), address)
		defer func() { _ = file.Close() }()
		if err := unix.Connect(fd, &unix.SockaddrUnix{Name: address}); err != nil {
			answers <- answer{err: err}
			return
		}
		text, err := io.ReadAll(file)
		if errors.Is(err, unix.ECONNRESET) {
			err = nil // closed, as an end is
		}
		answers <- answer{string(text), err}
	}()
	a := <-answers
	return a.text, a.err
}
