package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// JailCommand is the first argument of a program that is to become a jailed browser.
const JailCommand = "__browser"

// nobody is the user that browsers run as when this process may choose.
const nobody = 65534

// jail says what a browser may touch and use up.
type jail struct {
	Home    string   `json:"home"`    // the only folder it may write to
	Ports   []uint16 `json:"ports"`   // of the egress, on 127.0.0.1: all it may connect to
	Network bool     `json:"network"` // it is in a network namespace of its own: the ports are to be opened in there
	Mounts  bool     `json:"mounts"`  // it is in mount and process namespaces of its own
	Data    uint64   `json:"data"`    // bytes of memory for each of its processes
}

const (
	handoverFD   = 5 // where the opened ports go
	programFD    = 6 // this program
	maxHomeBytes = "256m"
	maxFileBytes = 1 << 30 // memory shared between its processes counts as files
	maxOpenFiles = 8192
	niceness     = 10 // pages are drawn behind what answers clients, like movies are
)

// JailMain takes over a process started with JailCommand: it gives up every right that a browser does not need and becomes the
// browser. It does not return.
func JailMain() {
	_, _ = fmt.Fprintln(os.Stderr, "browser jail:", enterJail(os.Args[2:]))
	os.Exit(126)
}

// enterJail returns only when it fails.
func enterJail(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("needs a jail and a program, got %d arguments", len(args))
	}
	var j jail
	if err := json.Unmarshal([]byte(args[0]), &j); err != nil {
		return fmt.Errorf("read jail: %w", err)
	}
	// Capabilities belong to the thread, and execve keeps those of the thread that calls it.
	runtime.LockOSThread()
	unix.CloseOnExec(handoverFD)
	unix.CloseOnExec(programFD)
	steps := []func() error{j.network, j.mounts, j.lock, dropCapabilities, j.limit}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("become %s: %w", args[1], syscall.Exec(args[1], args[1:], os.Environ()))
}

// network opens the egress ports in the namespace, in which there is nothing else, and hands them to the parent.
func (j jail) network() error {
	if !j.Network {
		return nil
	}
	control, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open control socket: %w", err)
	}
	defer func() { _ = unix.Close(control) }()
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("name loopback: %w", err)
	}
	loopback.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(control, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	var opened []int
	for _, port := range j.Ports {
		fd, err := listenOn(port)
		if err != nil {
			return fmt.Errorf("open egress port: %w", err)
		}
		opened = append(opened, fd)
	}
	if err := unix.Sendmsg(handoverFD, []byte{1}, unix.UnixRights(opened...), nil, 0); err != nil {
		return fmt.Errorf("hand over egress ports: %w", err)
	}
	return nil
}

func listenOn(port uint16) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	return fd, unix.Listen(fd, 128)
}

// mounts gives the browser a home in memory, which vanishes with it, and a view of its own processes only.
func (j jail) mounts() error {
	if !j.Mounts {
		return nil
	}
	const strict = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	return errors.Join(
		named("make mounts private", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")),
		named("mount home", unix.Mount("home", j.Home, "tmpfs", strict, "mode=0700,size="+maxHomeBytes)),
		named("mount processes", unix.Mount("proc", "/proc", "proc", strict, "")),
	)
}

func named(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (j jail) limit() error {
	errs := []error{named("lower priority", syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness))}
	for id, value := range map[int]uint64{
		unix.RLIMIT_DATA: j.Data, unix.RLIMIT_FSIZE: maxFileBytes, unix.RLIMIT_NOFILE: maxOpenFiles, unix.RLIMIT_CORE: 0,
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(id, &now); err != nil {
			errs = append(errs, fmt.Errorf("read limit %d: %w", id, err))
			continue
		}
		value = min(value, now.Max)
		errs = append(errs, named(fmt.Sprintf("set limit %d", id), syscall.Setrlimit(id, &syscall.Rlimit{Cur: value, Max: value})))
	}
	return errors.Join(errs...)
}

// readable is what Chromium, its libraries and fontconfig read.
var (
	readable = []string{
		"/usr", "/lib", "/lib64", "/etc/fonts", "/var/cache/fontconfig", "/etc/alternatives", "/sys/devices/system",
	}
	readableFiles = []string{
		"/etc/ld.so.cache", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/dev/urandom", "/dev/random", "/dev/zero",
	}
)

// lock keeps the browser to its folders and its ports, as far as the kernel knows how.
func (j jail) lock() error {
	rules := []landlock.Rule{
		landlock.RODirs(readable...).IgnoreIfMissing(),
		landlock.ROFiles(readableFiles...).IgnoreIfMissing(),
		landlock.RWFiles("/dev/null").IgnoreIfMissing(),
		// Its sandbox makes user namespaces, whose maps are written there.
		landlock.RWDirs("/proc", j.Home).IgnoreIfMissing(),
	}
	for _, port := range j.Ports {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restrict: %w", err)
	}
	return nil
}

// dropCapabilities keeps those of the jail's namespaces from reaching the browser.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}
