package jail_test

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moviola/internal/jail"
	"moviola/internal/jail/jailtest"
)

// makingCalls are the system calls that set up a jail, besides those that its program may make.
var makingCalls = []uintptr{
	unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_UNSHARE, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_MOUNT_SETATTR, unix.SYS_CHROOT, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF,
	unix.SYS_SECCOMP, unix.SYS_PRCTL, unix.SYS_CAPSET, unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETGROUPS, unix.SYS_SETUID, unix.SYS_SETGID,
	unix.SYS_CLOSE_RANGE, unix.SYS_SETPRIORITY, unix.SYS_SETRLIMIT, unix.SYS_PRLIMIT64, unix.SYS_SENDMSG, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_EXECVE,
}

// TestProfile: a container with the profile that is shipped lets jails be made, and programs make the calls of their lists. What a list allows with
// some arguments only may depend on them in the profile too: tests/blackbox tries it.
func TestProfile(t *testing.T) {
	t.Parallel()
	allowed, _ := jailtest.Profile(t, "../../deploy/seccomp.json")
	needed := slices.Clone(makingCalls)
	for _, list := range []jail.Calls{jail.DecoderCalls, jail.EncoderCalls, jail.BrowserCalls} {
		calls, err := jail.Called(list)
		if err != nil {
			t.Fatal(err)
		}
		needed = append(needed, calls...)
	}
	for _, call := range needed {
		if call != unix.SYS_SOCKET && !slices.Contains(allowed, call) { // sockets depend on their family
			t.Errorf("system call %d is needed, and the profile does not allow it", call)
		}
	}
	for _, call := range []uintptr{unix.SYS_BPF, unix.SYS_KEYCTL, unix.SYS_INIT_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_IO_URING_SETUP, unix.SYS_USERFAULTFD, unix.SYS_SETNS} {
		if slices.Contains(allowed, call) {
			t.Errorf("system call %d is allowed, and nobody needs it", call)
		}
	}
}
