package jail_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"moviola/internal/jail"
	"moviola/internal/jail/jailtest"
)

const insideSingleUser = "MOVIOLA_TEST_INSIDE_SINGLE_USER"

// A service may be root of a user namespace that knows nobody else, as rootless containers without ranges of users are: no program can be
// given another user then, and all other layers hold.
func TestJail_singleUser(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideSingleUser) != "" {
		t.Skip("this is the process inside")
	}
	inside := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInsideSingleUser$", "-test.v")
	inside.Env = append(os.Environ(), insideSingleUser+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	if err := (&exec.Cmd{Path: "/bin/true", SysProcAttr: inside.SysProcAttr}).Run(); err != nil {
		t.Skip("this machine allows no user namespaces: ", err)
	}
	if out, err := inside.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestInsideSingleUser") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestInsideSingleUser runs in the namespace that TestJail_singleUser makes.
func TestInsideSingleUser(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideSingleUser) == "" {
		t.Skip("TestJail_singleUser runs it")
	}
	j := jailtest.New(t)
	for _, s := range j.Report(jail.Policy{Program: "sh", Write: t.TempDir(), Calls: jail.DecoderCalls}) {
		switch s.Layer {
		case jail.OwnUser:
			if s.Condition != jail.Missing || !strings.Contains(s.Detail, "user namespace") {
				t.Error(s)
			}
		case jail.Namespaces, jail.Seccomp, jail.Landlock:
			if s.Condition != jail.On {
				t.Error(s)
			}
		}
	}
	said, folder, err := run(t, j, "cat $1; echo made >out; cat out; pwd")
	if want := "what may be readmade\n" + folder + "\n"; err != nil || said != want {
		t.Errorf("said %q, %v; want %q", said, err, want)
	}
}
