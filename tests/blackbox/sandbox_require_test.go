package blackbox_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"moviola/internal/jail/jailtest"
	"moviola/tests/harness"
)

// filterVariable makes this program become another one behind a filter of system calls, in JSON.
const filterVariable = "BLACKBOX_FILTER"

// lacking are machines: how their kernels answer what asks for a layer of the sandbox.
var lacking = map[string][]bpf.Instruction{
	"landlock": refuseCall(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS),
	"namespaces": append(append(refuseCall(unix.SYS_UNSHARE, unix.EPERM), refuseCall(unix.SYS_CLONE3, unix.ENOSYS)...),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 4},
		bpf.LoadAbsolute{Off: 16, Size: 4}, // the flags
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_NEWUSER, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}),
}

func refuseCall(call uint32, errno syscall.Errno) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)},
	}
}

// becomeFiltered becomes the program of this program's arguments, behind a filter.
func becomeFiltered(text string) error {
	var raw []bpf.RawInstruction
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filters := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filters[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog))); errno != 0 {
		return errno
	}
	return unix.Exec(os.Args[1], os.Args[1:], os.Environ())
}

// The built program refuses to start where a layer is missing that is required, and names it; the doctor says the same.
func TestSandbox_require(t *testing.T) {
	t.Parallel()
	for _, layers := range []string{"landlock", "namespaces", "landlock,namespaces"} {
		t.Run(layers, func(t *testing.T) {
			t.Parallel()
			filter := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}}
			for _, layer := range strings.Split(layers, ",") {
				filter = append(filter, lacking[layer]...)
			}
			filter = append(filter, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
			out, err := runFiltered(t, filter, "serve", "--sandbox", "require", "--data", t.TempDir(), "--listen", harness.FreeAddr(t))
			if err == nil || !strings.Contains(out, "--sandbox require: this machine refuses layers of the sandbox") {
				t.Errorf("it starts: %v\n%s", err, out)
			}
			said, err := runFiltered(t, filter, "doctor")
			if err != nil {
				t.Errorf("the doctor: %v", err)
			}
			for layer := range lacking {
				if missing := strings.Contains(layers, layer); missing && !strings.Contains(out, "ffmpeg: "+layer+" missing") {
					t.Errorf("%s is not named as missing:\n%s", layer, out)
				} else if line := fmt.Sprintf("sandbox of %-12s %-18s missing", "ffmpeg", layer); missing && !strings.Contains(said, line) {
					t.Errorf("the doctor does not miss %s:\n%s", layer, said)
				}
			}
		})
	}
}

// A container with the profile that is shipped has every layer that the machine has without it.
func TestSandbox_profile(t *testing.T) {
	t.Parallel()
	_, filter := jailtest.Profile(t, "../../deploy/seccomp.json")
	inside, err := runFiltered(t, filter, "doctor")
	if err != nil {
		t.Fatalf("the doctor: %v\n%s", err, inside)
	}
	outside, err := exec.CommandContext(t.Context(), harness.Binary(t), "doctor").CombinedOutput()
	if err != nil {
		t.Fatalf("the doctor: %v\n%s", err, outside)
	}
	if diff := cmp.Diff(sandboxLines(string(outside)), sandboxLines(inside)); diff != "" {
		t.Errorf("layers (-without the profile +with it):\n%s", diff)
	}
}

func sandboxLines(said string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "sandbox of ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// runFiltered runs the built program to its end behind a filter.
func runFiltered(t *testing.T, filter []bpf.Instruction, args ...string) (string, error) {
	t.Helper()
	raw, err := bpf.Assemble(filter)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{harness.Binary(t)}, args...)...)
	cmd.Env = append(os.Environ(), filterVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
