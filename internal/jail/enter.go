package jail

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// niceness is the least niceness of jailed programs: processes that answer clients come first.
const niceness = 10

// A process whose first argument is Command becomes a jailed program here, or keeps a user namespace alive (see become).
// It does not wait for main: most packages are initialised after this one, and to initialise them all takes several times
// as long as the jail itself.
func init() {
	if len(os.Args) > 1 && os.Args[1] == Command {
		become()
	}
}

// become drops the rights that the jailed program does not need, executes that program, and does not return. Without further
// arguments it keeps a user namespace alive instead: see holdMain.
func become() {
	if len(os.Args) == 2 {
		holdMain()
	}
	err := enter(os.Args[2:])
	if err == nil {
		os.Exit(0)
	}
	_, _ = fmt.Fprintln(os.Stderr, "jail:", err)
	os.Exit(126)
}

// enter returns only when it fails, or when the jail was only to be tested.
func enter(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("needs a jail and a program, got %d arguments", len(args))
	}
	var s spec
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		return fmt.Errorf("read jail: %w", err)
	}
	// Capabilities, priority and filters belong to a thread, and execve keeps those of the calling thread.
	runtime.LockOSThread()
	steps := []struct {
		what string
		do   func() error
	}{
		{"close what has leaked", s.closeLeaks},
		{"open ports", s.openPorts},
		{"make the root folder", s.makeRoot},
		{"go to the working folder", s.changeFolder},
		{"limit resources", s.limit},
		{"restrict by Landlock", s.restrict},
		{"drop capabilities", dropCapabilities},
		{"end with the service", dieWithParent},
		{"refuse new privileges", refusePrivileges},
		{"filter system calls", s.filter},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if s.Check {
		return nil
	}
	return fmt.Errorf("become %s: %w", args[1], unix.Exec(args[1], args[1:], os.Environ()))
}

// closeLeaks marks every inherited descriptor that is not meant for the program: execve closes it.
func (s spec) closeLeaks() error {
	err := unix.CloseRange(uint(s.Keep), ^uint(0)>>33, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // kernels before 5.11 lack close_range or its flag CLOSE_RANGE_CLOEXEC
	if err != nil {
		return err
	}
	for _, entry := range open {
		var fd int
		if _, err := fmt.Sscan(entry.Name(), &fd); err == nil && fd >= s.Keep {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// openPorts listens on the ports inside of the empty network namespace, and hands the listeners to the service.
func (s spec) openPorts() error {
	if !s.Network || len(s.Ports) == 0 {
		return nil
	}
	control, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(control) }()
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(control, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	var opened []int
	for _, port := range s.Ports {
		fd, err := listenOn(port)
		if err != nil {
			return fmt.Errorf("port %d: %w", port, err)
		}
		opened = append(opened, fd)
	}
	if err := unix.Sendmsg(s.Handover, []byte{1}, unix.UnixRights(opened...), nil, 0); err != nil {
		return fmt.Errorf("hand over: %w", err)
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

func (s spec) changeFolder() error {
	if s.Dir == "" {
		return os.Chdir("/")
	}
	return os.Chdir(s.Dir)
}

func (s spec) limit() error {
	if err := lowerPriority(); err != nil {
		return fmt.Errorf("lower priority: %w", err)
	}
	limits := []struct {
		what  string
		id    int
		value uint64
	}{
		{"address space", unix.RLIMIT_AS, s.Limits.AddressSpace},
		{"memory", unix.RLIMIT_DATA, s.Limits.Data},
		{"open files", unix.RLIMIT_NOFILE, s.Limits.OpenFiles},
		{"processor time", unix.RLIMIT_CPU, s.Limits.CPUSeconds},
		{"file size", unix.RLIMIT_FSIZE, s.Limits.FileBytes},
	}
	for _, l := range limits {
		if l.value == 0 {
			continue
		}
		if err := lower(l.id, l.value); err != nil {
			return fmt.Errorf("%s: %w", l.what, err)
		}
	}
	if s.Limits.Tasks > 0 && s.Root { // without namespaces of its own, the program's limit would count all processes of the user
		if err := lower(unix.RLIMIT_NPROC, s.Limits.Tasks); err != nil {
			return fmt.Errorf("tasks: %w", err)
		}
	}
	return errors.Join(lower(unix.RLIMIT_CORE, 0), lower(unix.RLIMIT_MEMLOCK, 0), lower(unix.RLIMIT_MSGQUEUE, 0))
}

// lowerPriority gives the program its niceness. If the service has a higher niceness, the program keeps that one, because a
// process may not lower its niceness.
func lowerPriority() error {
	const kernelZero = 20 // the kernel returns 20 minus the niceness
	now, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil || kernelZero-now >= niceness {
		return err
	}
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
}

// lower sets a resource limit, soft and hard, to value, or to the current hard limit if that is lower.
func lower(id int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(id, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return syscall.Setrlimit(id, &syscall.Rlimit{Cur: value, Max: value})
}

// lastCapability is an upper bound for the capabilities of any kernel.
const lastCapability = 63

// dropCapabilities drops all capabilities of the thread, irrevocably.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	for c := range uintptr(lastCapability + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) { // the number is beyond the kernel's last capability: all are dropped
			break
		}
		// EPERM: the thread may not shrink its bounding set. That is harmless, because it gains no capability from the set.
		if err != nil && !errors.Is(err, unix.EPERM) {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// dieWithParent sets Pdeathsig again, because a change of user or capabilities may clear it.
func dieWithParent() error {
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

func refusePrivileges() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }
