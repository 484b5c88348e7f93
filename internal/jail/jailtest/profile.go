package jailtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// profile has the fields of a container engine's profile of system calls that Profile reads.
type profile struct {
	Syscalls []struct {
		Names  []string
		Action string
		Args   []struct {
			Index uint32
			Value uint32
			Op    string
		}
	}
}

// Profile returns the calls that a profile allows whatever their arguments are, by number, and the filter that it stands for on
// this machine.
func Profile(t testing.TB, path string) (allowed []uintptr, filter []bpf.Instruction) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p profile
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	numbers := callNumbers(t)
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	filter = []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}}
	for _, rule := range p.Syscalls {
		if rule.Action != "SCMP_ACT_ALLOW" {
			t.Fatalf("the action %s is not known here", rule.Action)
		}
		for _, name := range rule.Names {
			number, ok := numbers[name]
			if !ok { // calls that this machine's architecture does not have are left out
				continue
			}
			body := []bpf.Instruction{allow}
			if len(rule.Args) == 0 {
				allowed = append(allowed, uintptr(number))
			}
			for _, arg := range slices.Backward(rule.Args) {
				condition := map[string]bpf.JumpTest{"SCMP_CMP_EQ": bpf.JumpNotEqual, "SCMP_CMP_NE": bpf.JumpEqual}[arg.Op]
				check := []bpf.Instruction{
					bpf.LoadAbsolute{Off: 16 + 8*arg.Index, Size: 4}, bpf.JumpIf{Cond: condition, Val: arg.Value, SkipTrue: uint8(len(body))},
				}
				body = append(append(check, body...), bpf.LoadAbsolute{Off: 0, Size: 4})
			}
			filter = append(append(filter, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: uint8(len(body))}), body...)
		}
	}
	return allowed, append(filter, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
}

var callNumber = regexp.MustCompile(`(?m)^\s+SYS_([A-Z0-9_]+)\s+= (\d+)$`)

// callNumbers are the numbers of this machine's system calls, as the library that calls them lists them.
func callNumbers(t testing.TB) map[string]uint32 {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]uint32{}
	for _, found := range callNumber.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseUint(found[2], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		numbers[strings.ToLower(found[1])] = uint32(n)
	}
	return numbers
}
