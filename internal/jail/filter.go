package jail

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// rule allows a system call, the field call, in either of two cases: all tests in the field tests hold, or at least one of
// the tests in the field or holds.
type rule struct {
	call  uintptr
	tests []test
	or    []test
}

// test is a condition for one argument of a system call. It looks only at the lower 32 bits of the argument: in every
// argument that rules test, the kernel ignores or refuses the other bits.
type test struct {
	argument uint32
	mask     uint32
	values   []uint32 // the masked argument must be one of them
}

const (
	// Offsets in struct seccomp_data, which the filter reads.
	offsetCall      = 0
	offsetArch      = 4
	offsetArguments = 16

	// firstNew is the first call with the same number on all architectures. Libraries try newer calls, and fall back when these
	// are unknown.
	firstNew = 424
	// x32Calls is the first number of the x32 variants of all calls, which must not bypass the filter.
	x32Calls = 0x40000000
)

// The results of the filter for a system call. unknown tells the program that the kernel has no such call.
var (
	allow   = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	refuse  = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	unknown = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	kill    = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
)

// filter installs the filter that allows only the calls of the program's list.
func (s spec) filter() error {
	if !s.Seccomp {
		return nil
	}
	arch, ok := auditArchs[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("the numbers of system calls on %s are not known", runtime.GOARCH)
	}
	rules, err := s.Calls.rules(uint32(os.Getpid()), s.Root)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(program(arch, rules))
	if err != nil {
		return err
	}
	filters := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filters[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// auditArchs maps architectures to the kernel's names for them.
var auditArchs = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// program compiles rules to a filter. The kernel caches calls that are allowed with any arguments, so a long list costs nothing.
func program(arch uint32, rules []rule) []bpf.Instruction {
	all := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		kill,
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Calls, SkipTrue: 1},
		unknown,
	}
	for _, r := range rules {
		checked := r.checked()
		all = append(all, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(r.call), SkipTrue: uint8(len(checked))})
		all = append(all, checked...)
	}
	return append(all, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: firstNew, SkipTrue: 1}, unknown, refuse)
}

// checked compiles the tests of a rule.
func (r rule) checked() []bpf.Instruction {
	var all []bpf.Instruction
	for _, t := range r.or {
		all = append(all, t.load()...)
		for _, value := range t.values {
			all = append(all, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: value, SkipTrue: 1}, allow)
		}
	}
	for _, t := range r.tests {
		all = append(all, t.load()...)
		for i, value := range t.values {
			// skips to the instruction after the refusal
			all = append(all, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(t.values) - i)})
		}
		all = append(all, refuse)
	}
	return append(all, allow)
}

// load returns instructions that load the argument of the system call and keep the bits that are set in the mask of t.
func (t test) load() []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArguments + 8*t.argument, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: t.mask},
	}
}
