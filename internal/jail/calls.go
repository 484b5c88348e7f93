package jail

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const whole = ^uint32(0)

// is returns the test whether an argument has one of some values.
func is(argument uint32, values ...uint32) test { return test{argument, whole, values} }

// rules returns the allowed system calls of a list, for a process with the id self. own tells whether the process sees
// only its own processes (PID namespace). legacyCalls adds calls that not every architecture has under this name. No list
// allows changing times, modes or owners of existing files by name: Landlock does not restrict these.
func (c Calls) rules(self uint32, own bool) ([]rule, error) {
	switch c {
	case DecoderCalls:
		return append(always(commonCalls, legacyCalls), decoderRules(self)...), nil
	case EncoderCalls:
		return append(always(commonCalls, legacyCalls), decoderRules(self, driverCalls...)...), nil
	case BrowserCalls:
		return append(always(commonCalls, legacyCalls, browserCalls, legacyBrowserCalls), browserRules(own)...), nil
	}
	return nil, fmt.Errorf("there is no list of system calls %q", c)
}

func always(lists ...[]uintptr) []rule {
	var all []rule
	for _, list := range lists {
		for _, call := range list {
			all = append(all, rule{call: call})
		}
	}
	return all
}

// commonCalls affect only the process itself, and files that it can reach.
var commonCalls = []uintptr{
	// calls on files
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_PREADV,
	unix.SYS_PWRITEV,
	unix.SYS_PREADV2, unix.SYS_PWRITEV2, unix.SYS_OPENAT, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_LSEEK, unix.SYS_FSTAT,
	unix.SYS_STATX,
	unix.SYS_FSTATFS, unix.SYS_STATFS, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_GETDENTS64,
	unix.SYS_GETCWD,
	unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_FTRUNCATE, unix.SYS_TRUNCATE,
	unix.SYS_FALLOCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC_FILE_RANGE, unix.SYS_FADVISE64, unix.SYS_UMASK,
	unix.SYS_FCHMOD,
	unix.SYS_FLOCK, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_SPLICE, unix.SYS_TEE,
	unix.SYS_SENDFILE, unix.SYS_COPY_FILE_RANGE, unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_LISTXATTR,
	unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR,
	// calls on memory
	unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP, unix.SYS_BRK, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE,
	unix.SYS_MSYNC,
	unix.SYS_MEMBARRIER,
	// calls on the program's own threads and processes
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS,
	unix.SYS_GETTID, unix.SYS_GETPID,
	unix.SYS_GETPPID, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_EXECVE, unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX,
	unix.SYS_SCHED_GET_PRIORITY_MIN,
	unix.SYS_GETPRIORITY, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_SYSINFO,
	unix.SYS_UNAME, unix.SYS_GETCPU,
	unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID, unix.SYS_GETRESGID,
	unix.SYS_GETGROUPS, unix.SYS_GETPGID,
	unix.SYS_GETSID, unix.SYS_CAPGET, unix.SYS_GETRANDOM,
	// calls that read the time or wait
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY,
	unix.SYS_SETITIMER,
	unix.SYS_GETITIMER, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_DELETE,
	unix.SYS_TIMERFD_CREATE,
	unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMERFD_GETTIME,
	// calls for receiving signals, and for waiting
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_SIGPENDING,
	unix.SYS_RT_SIGSUSPEND,
	unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL, unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT,
	unix.SYS_EVENTFD2,
}

// harmlessOptions of prctl are queries, or set names and the timer slack of the process itself.
var harmlessOptions = []uint32{unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_GET_DUMPABLE, unix.PR_CAPBSET_READ, unix.PR_SET_VMA,
	unix.PR_SET_TIMERSLACK}

// fileCommands are the allowed commands of fcntl. Commands by which the kernel sends signals about a file are missing: with
// them a program could signal other processes.
var fileCommands = []uint32{unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
	unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_GETOWN,
	unix.F_GETOWN_EX, unix.F_GETSIG, unix.F_GETLEASE, unix.F_GETPIPE_SZ, unix.F_SETPIPE_SZ, unix.F_ADD_SEALS,
	unix.F_GET_SEALS, unix.F_GET_RW_HINT, unix.F_SET_RW_HINT, unix.F_GET_FILE_RW_HINT, unix.F_SET_FILE_RW_HINT}

// namespaces are all flags of clone that create a namespace.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS |
	unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// terminalQueries are ioctls by which programs query their input and output, or choose not to wait for them.
var terminalQueries = []uint32{unix.TCGETS, unix.TIOCGWINSZ, fionRead, fionBIO}

const (
	fionRead = 0x541b // FIONREAD, which asks how many bytes can be read
	fionBIO  = 0x5421 // FIONBIO, which makes calls return instead of waiting
)

// driverCalls are tests for the ioctls that the drivers of graphics cards need: a call that passes one of them is allowed.
// The first test is for ioctls of the type 'd' (the kernel's DRM) or 'F' (NVIDIA). The second is for those of NVIDIA's
// memory driver, which are bare numbers without a type. Commands of terminals, whose type is 'T', pass neither.
var driverCalls = []test{
	{1, 0xff00, []uint32{'d' << 8, 'F' << 8}},
	{1, 0xcfffff00, []uint32{0}},
}

// decoderRules confine a decoder with the process id self: with clone it creates no namespaces, and with kill, tgkill and
// fcntl it signals no other process. ioctls are the tests of further permitted requests of ioctl.
func decoderRules(self uint32, ioctls ...test) []rule {
	return []rule{
		{call: unix.SYS_CLONE, tests: []test{{0, namespaces, []uint32{0}}}},
		{call: unix.SYS_PRCTL, tests: []test{is(0, harmlessOptions...)}},
		{call: unix.SYS_PRLIMIT64, tests: []test{is(0, 0, self)}},
		{call: unix.SYS_SETPRIORITY, tests: []test{is(0, unix.PRIO_PROCESS), is(1, 0)}},
		{call: unix.SYS_SCHED_SETAFFINITY, tests: []test{is(0, 0)}},
		{call: unix.SYS_FCNTL, tests: []test{is(1, fileCommands...)}},
		{call: unix.SYS_KILL, tests: []test{is(0, self)}},
		{call: unix.SYS_TGKILL, tests: []test{is(0, self)}},
		{call: unix.SYS_IOCTL, tests: []test{is(1, terminalQueries...)}, or: ioctls},
	}
}

// browserCalls are the additional calls of a browser with many processes: connections, shared memory, and the calls that set up
// its own sandbox.
var browserCalls = []uintptr{
	unix.SYS_CONNECT, unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, unix.SYS_SETSOCKOPT, unix.SYS_GETSOCKOPT, unix.SYS_RECVFROM,
	unix.SYS_RECVMSG,
	unix.SYS_SHUTDOWN,
	unix.SYS_MEMFD_CREATE, unix.SYS_INOTIFY_INIT1, unix.SYS_SYMLINKAT, unix.SYS_LINKAT,
	unix.SYS_FCHOWN, unix.SYS_MLOCK, unix.SYS_MUNLOCK, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT,
	unix.SYS_SIGNALFD4,
	unix.SYS_PRCTL, unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_FCNTL,
	unix.SYS_SETSID, unix.SYS_SETPGID, unix.SYS_IOCTL,
	unix.SYS_SECCOMP, unix.SYS_CHROOT, unix.SYS_CAPSET, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
}

// socketType masks the type of a socket, without flags.
const socketType = 0xf

// browserRules allow a browser TCP connections, socket pairs between its processes, and the namespaces of its own sandbox, but no
// mount namespaces.
func browserRules(own bool) []rule {
	// tests for the process whose limits or priority are changed; without tests, any process that the browser sees is allowed
	others := []test{}
	if !own {
		others = []test{is(0, 0)}
	}
	return []rule{
		{call: unix.SYS_PRLIMIT64, tests: others}, {call: unix.SYS_SCHED_SETAFFINITY, tests: others},
		{call: unix.SYS_SCHED_SETSCHEDULER, tests: others},
		{call: unix.SYS_SETPRIORITY, tests: append([]test{is(0, unix.PRIO_PROCESS)}, onArgument(1, others)...)},
		// The flag MSG_FASTOPEN is refused: with it, a browser could connect without the call connect, which other rules bound.
		{call: unix.SYS_SENDTO, tests: []test{{3, unix.MSG_FASTOPEN, []uint32{0}}}},
		{call: unix.SYS_SENDMSG, tests: []test{{2, unix.MSG_FASTOPEN, []uint32{0}}}},
		{call: unix.SYS_CLONE,
			tests: []test{{0, namespaces &^ (unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET), []uint32{0}}}},
		{call: unix.SYS_UNSHARE, tests: []test{is(0, unix.CLONE_NEWUSER)}},
		{call: unix.SYS_SOCKET,
			tests: []test{is(0, unix.AF_INET), {1, socketType, []uint32{unix.SOCK_STREAM}}, is(2, 0, unix.IPPROTO_TCP)}},
		{call: unix.SYS_SOCKETPAIR,
			tests: []test{is(0, unix.AF_UNIX), {1, socketType, []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}},
	}
}

// onArgument returns copies of tests that examine another argument of the system call: the one with the index in the
// parameter argument.
func onArgument(argument uint32, tests []test) []test {
	var moved []test
	for _, t := range tests {
		moved = append(moved, test{argument, t.mask, t.values})
	}
	return moved
}
