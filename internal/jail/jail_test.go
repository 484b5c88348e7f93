package jail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"moviola/internal/jail"
	"moviola/internal/jail/jailtest"
)

// run runs a shell in a jail that reads one file and writes one folder.
func run(t *testing.T, j *jail.Jail, script string) (said, folder string, err error) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte("what may be read"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	p := jail.Policy{Program: "sh", Read: []string{in}, Write: folder, Calls: jail.DecoderCalls, Limits: jail.Limits{OpenFiles: 32}}
	c, err := j.Child(t.Context(), p, "/bin/sh", []string{"-c", script, "sh", in})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.CombinedOutput()
	c.Release()
	return string(out), folder, err
}

// Whichever layers are left out, a program in a jail works.
func TestJail_ProgramsWork(t *testing.T) {
	t.Parallel()
	for _, without := range [][]jail.Layer{
		nil, {jail.Namespaces}, {jail.OwnUser}, {jail.Landlock}, {jail.Seccomp},
		{jail.Namespaces, jail.Landlock}, {jail.Namespaces, jail.OwnUser, jail.Landlock, jail.Seccomp},
	} {
		name := "all layers"
		for _, l := range without {
			name += ", no " + string(l)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, folder, err := run(t, jailtest.New(t, without...), "cat $1; echo made >out; mv out kept; cat kept; nice; ulimit -n; ulimit -c; pwd")
			if want := "what may be readmade\n10\n32\n0\n" + folder + "\n"; err != nil || said != want {
				t.Errorf("said %q, %v; want %q", said, err, want)
			}
			info, err := os.Stat(filepath.Join(folder, "kept"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(folder, info.Name())); err != nil { // it is this user's
				t.Error(err)
			}
		})
	}
}

// A program sees only what its policy names, and cannot execute what it has written.
func TestJail_RootFolder(t *testing.T) {
	t.Parallel()
	j := jailtest.New(t)
	if !on(j, jail.Namespaces) {
		t.Skip("this machine allows no namespaces")
	}
	for script, want := range map[string]string{
		"cp /bin/true ./run; ./run || echo refused": "refused",
		"echo x >$1 || echo refused":                "refused",
		"cat /etc/passwd || echo refused":           "refused",
		"ls -d /proc /sys /home /root || true":      "No such file",
		"echo $$":                                   "1\n",
	} {
		if said, _, _ := run(t, j, script); !strings.Contains(said, want) {
			t.Errorf("%s: said %q, want %q in it", script, said, want)
		}
	}
}

// TestJail_mountsBelow: what is mounted below a folder that a program may read cannot be written either, by any user.
func TestJail_mountsBelow(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	below := filepath.Join(in, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", below, "tmpfs", 0, "mode=0777"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(below, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, without := range []jail.Layer{jail.Landlock, jail.OwnUser} {
		j := jailtest.New(t, jail.Landlock, without)
		if !on(j, jail.Namespaces) {
			t.Skip("this machine allows no namespaces")
		}
		p := jail.Policy{Program: "sh", Read: []string{in}, Calls: jail.DecoderCalls}
		c, err := j.Child(t.Context(), p, "/bin/sh", []string{"-c", "echo x >$1/file && echo written; true", "sh", below})
		if err != nil {
			t.Fatal(err)
		}
		said, err := c.CombinedOutput()
		c.Release()
		if err != nil || !strings.Contains(string(said), "Read-only") {
			t.Errorf("without %s: said %q, %v", without, said, err)
		}
	}
}

// on says whether a machine has a layer, for a program without files of its own.
func on(j *jail.Jail, layer jail.Layer) bool {
	for _, s := range j.Report(jail.Policy{Program: "sh", Calls: jail.DecoderCalls}) {
		if s.Layer == layer {
			return s.Condition == jail.On
		}
	}
	return false
}

func TestReport(t *testing.T) {
	t.Parallel()
	p := jail.Policy{Program: "sh", Write: t.TempDir(), Calls: jail.DecoderCalls}
	condition := func(j *jail.Jail, l jail.Layer) jail.Condition {
		for _, s := range j.Report(p) {
			if s.Layer == l {
				return s.Condition
			}
		}
		return ""
	}
	for _, l := range []jail.Layer{jail.Namespaces, jail.Landlock, jail.Seccomp} {
		j := jailtest.New(t, l)
		if got := condition(j, l); got != jail.Missing {
			t.Errorf("without %s it is %s", l, got)
		}
		err := jail.Demand(j.Report(p))
		if err == nil || !strings.Contains(err.Error(), "sh: "+string(l)+" missing") {
			t.Errorf("required without %s: %v", l, err)
		}
	}
	off, err := jail.New(jail.Config{Off: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range jail.Layers {
		if got := condition(off, l); got != jail.Disabled {
			t.Errorf("off: %s is %s", l, got)
		}
	}
	gone := jail.Policy{Program: "sh", Write: filepath.Join(t.TempDir(), "gone"), Calls: jail.DecoderCalls}
	if err := jail.Demand(jailtest.New(t).Report(gone)); err == nil {
		t.Error("a jail that cannot be made has all layers")
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"require": true, "best": true, "off": true, "": false, "on": false} {
		var m jail.Mode
		if err := m.Set(text); (err == nil) != ok || ok && m.String() != text {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
}

// TestJail_LowerPriority: where the service itself has a lower priority than a jail gives, as with Nice=15 of systemd, programs keep that.
func TestJail_LowerPriority(t *testing.T) {
	t.Parallel()
	j := jailtest.New(t)
	said := make(chan string)
	go func() {
		defer close(said)
		runtime.LockOSThread() // the thread ends with this goroutine, for it is not unlocked
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, 15); err != nil {
			said <- err.Error()
			return
		}
		text, _, err := run(t, j, "nice")
		said <- fmt.Sprint(text, err)
	}()
	if got := <-said; got != "15\n<nil>" {
		t.Errorf("the program's priority: %s", got)
	}
}
