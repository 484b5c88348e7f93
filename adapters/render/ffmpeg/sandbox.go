package ffmpeg

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
)

// SandboxCommand is the first argument of a program that is to become a jailed one.
const SandboxCommand = "__sandbox"

// jail is what a program may touch and use up. A zero limit leaves the usual one.
type jail struct {
	Read       []string `json:"read"`  // files and folders
	Write      string   `json:"write"` // one folder, also the working one
	CPUSeconds uint64   `json:"cpu"`
	FileBytes  uint64   `json:"file"` // of each file written
}

const (
	maxAddressSpace = 8 << 30
	maxOpenFiles    = 2048
	niceness        = 10
)

// systemPaths are what the dynamic loader and the libraries of ffmpeg read.
var systemPaths = []string{"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/dev/urandom"}

// wrap returns the arguments that make the sandbox program become program.
func (j jail) wrap(program string, args []string) []string {
	spec, err := json.Marshal(j)
	if err != nil {
		panic("jail cannot be written as JSON: " + err.Error())
	}
	return append([]string{SandboxCommand, string(spec), program}, args...)
}

// SandboxMain takes over a process started with the argument "__sandbox": it gives up every right the program does not need
// and becomes the program. It does not return.
func SandboxMain() {
	if err := enterJail(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
	}
	os.Exit(126)
}

func enterJail(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("needs a jail and a program, got %d arguments", len(args))
	}
	var j jail
	if err := json.Unmarshal([]byte(args[0]), &j); err != nil {
		return fmt.Errorf("read jail: %w", err)
	}
	// Priority belongs to the thread, and execve keeps that of the thread which calls it.
	runtime.LockOSThread()
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness); err != nil {
		return fmt.Errorf("lower priority: %w", err)
	}
	if err := j.lock(args[1]); err != nil {
		return err
	}
	if err := j.limit(); err != nil {
		return err
	}
	return fmt.Errorf("become %s: %w", args[1], syscall.Exec(args[1], args[1:], os.Environ()))
}

// lock keeps the program to its folders and off the network, as far as the kernel knows how.
func (j jail) lock(program string) error {
	read := append([]string{filepath.Dir(program)}, systemPaths...)
	rules := []landlock.Rule{
		landlock.RWFiles("/dev/null").IgnoreIfMissing(),
	}
	for _, path := range append(read, j.Read...) {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			continue
		case info.IsDir():
			rules = append(rules, landlock.RODirs(path))
		default:
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	if j.Write != "" {
		rules = append(rules, landlock.RWDirs(j.Write))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restrict: %w", err)
	}
	return nil
}

func (j jail) limit() error {
	limits := []struct {
		what  string
		id    int
		value uint64
	}{
		{"memory", syscall.RLIMIT_AS, maxAddressSpace},
		{"open files", syscall.RLIMIT_NOFILE, maxOpenFiles},
		{"processor time", syscall.RLIMIT_CPU, j.CPUSeconds},
		{"file size", syscall.RLIMIT_FSIZE, j.FileBytes},
	}
	for _, l := range limits {
		if l.value == 0 {
			continue
		}
		if err := setLimit(l.id, l.value); err != nil {
			return fmt.Errorf("limit %s: %w", l.what, err)
		}
	}
	core := syscall.Rlimit{}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("limit core files: %w", err)
	}
	return nil
}

// setLimit lowers a limit; one that is lower already stays.
func setLimit(id int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(id, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return syscall.Setrlimit(id, &syscall.Rlimit{Cur: value, Max: value})
}
