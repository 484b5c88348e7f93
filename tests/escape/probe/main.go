// Command probe plays a decoder that an attacker has taken over: it tries what such a program would, one thing per process, and
// says what the system answered. It is static and needs nothing of the system.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// world is what there is to be attacked.
type world struct {
	Data, Shared, Job, Home, Disk string // folders and a device; Home is a file
	Socket, Datagram, Abstract    string // unix sockets of the service
	Store, Ops, UDP               int    // ports of 127.0.0.1
	Victim                        int    // a process of the same user
	Buffer                        uint64 // address in the victim's memory where it keeps a secret
	Key                           int    // key of shared memory and of a message queue of System V
	Queue                         string // name of a POSIX message queue
	Leaked                        int    // a descriptor that was left open
}

// row is one thing to try.
type row struct {
	name string
	try  func(w world) error
}

var rows = append(append(append(fileRows, socketRows...), processRows...), privilegeRows...)

// result is what is printed for a row.
type result struct {
	Row     string
	Success bool
	Error   string // what the system answered
	Tried   bool
}

const rowTime = 30 * time.Second

func main() {
	if len(os.Args) == 2 && os.Args[1] == "victim" {
		victim()
	}
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: probe WORLD [ROW]")
		os.Exit(2)
	}
	var w world
	if err := json.Unmarshal([]byte(os.Args[1]), &w); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if len(os.Args) > 2 {
		one(w, os.Args[2])
		return
	}
	out := json.NewEncoder(os.Stdout)
	for _, r := range rows {
		if err := out.Encode(inProcess(r.name)); err != nil {
			os.Exit(2)
		}
	}
}

// one tries a row in this process and prints its result.
func one(w world, name string) {
	all := append(append([]row{}, rows...), innerRows...)
	for _, r := range all {
		if r.name != name {
			continue
		}
		said := result{Row: name, Tried: true}
		if err := r.try(w); err != nil {
			said.Error = err.Error()
		} else {
			said.Success = true
		}
		_ = json.NewEncoder(os.Stdout).Encode(said)
		return
	}
}

// inProcess tries a row in a process of its own, which it may spoil.
func inProcess(name string) result {
	cmd := exec.Command(os.Args[0], os.Args[1], name)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Start(); err != nil {
		return result{Row: name, Error: "cannot be tried: " + err.Error()}
	}
	timer := time.AfterFunc(rowTime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	var said result
	if json.Unmarshal(out.Bytes(), &said) == nil && said.Tried {
		return said
	}
	return result{Row: name, Tried: err != nil, Error: fmt.Sprintf("ended: %v %.200s", err, complaint.String())}
}

// in tries an inner row in namespaces of its own.
func in(flags uintptr, name string) error {
	cmd := exec.Command(os.Args[0], os.Args[1], name)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var said result
	if err := json.Unmarshal(out, &said); err != nil {
		return err
	}
	if !said.Success {
		return errors.New(said.Error)
	}
	return nil
}

// victim keeps a secret in memory, says where, and waits for the end of its input.
func victim() {
	secret := make([]byte, 64)
	copy(secret, "the secret of another process")
	fmt.Println(os.Getpid(), strconv.FormatUint(uint64(uintptr(unsafe.Pointer(&secret[0]))), 10))
	_, _ = os.Stdin.Read(make([]byte, 1))
	fmt.Println(string(secret))
	os.Exit(0)
}

// call makes a system call.
func call(number uintptr, args ...uintptr) (uintptr, error) {
	var a [6]uintptr
	copy(a[:], args)
	got, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return got, errno
	}
	return got, nil
}

// allowed is a call that reached what it is for and was then refused for what it was told: it may be made.
func allowed(number uintptr, args ...uintptr) error {
	_, err := call(number, args...)
	switch {
	case err == nil, errors.Is(err, unix.EFAULT), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOEXEC),
		errors.Is(err, unix.EBADF):
		return nil
	}
	return err
}

func pointer[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

func text(s string) uintptr {
	b, err := unix.BytePtrFromString(s)
	if err != nil {
		return 0
	}
	return pointer(b)
}
