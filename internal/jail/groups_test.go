package jail

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestOwnGroup: where this process's group lies, with and without a folder that an earlier start has made.
func TestOwnGroup(t *testing.T) {
	t.Parallel()
	mount := t.TempDir()
	write(t, filepath.Join(mount, "system.slice/moviola.service/cgroup.controllers"), "memory pids\n")
	for name, tt := range map[string]struct{ self, want, refused string }{
		"a service":              {"0::/system.slice/moviola.service\n", "system.slice/moviola.service", ""},
		"one that moved already": {"3:cpu:/x\n0::/system.slice/moviola.service/moviola-service\n", "system.slice/moviola.service", ""},
		"version 1 only":         {"4:memory:/docker/1\n", "", "the kernel has no control groups of version 2"},
		"not mounted":            {"0::/other\n", "", "no control groups of version 2 are mounted"},
	} {
		self := filepath.Join(t.TempDir(), "cgroup")
		write(t, self, tt.self)
		got, err := ownGroup(self, []string{filepath.Join(mount, "none"), mount})
		if tt.refused != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if want := filepath.Join(mount, tt.want); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}

// TestGroups_Refused: what is not delegated is left alone, and the reason says what to change.
func TestGroups_Refused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ controllers, procs, want string }{
		"no controller":     {"cpu pids\n", "", "the controller memory is not given"},
		"others are inside": {"memory pids\n", "17\n4711\n", "has other processes in it"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "cgroup.controllers"), tt.controllers)
		write(t, filepath.Join(dir, "cgroup.procs"), tt.procs)
		var g groups
		if err := g.openIn(dir, 17, controllers); err == nil || !strings.Contains(err.Error(), tt.want) || g.dir != "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, serviceGroup)); err == nil {
			t.Errorf("%s: a group was made", name)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// delegated makes a control group for the test. It returns the group's folder, and those of controllers that the group has.
func delegated(t *testing.T) (dir string, have []string) {
	t.Helper()
	var refusals error
	for _, mount := range groupMounts {
		dir := filepath.Join(mount, fmt.Sprintf("moviola-test-%d", os.Getpid()))
		if _, err := os.Stat(filepath.Join(mount, "cgroup.controllers")); err != nil {
			refusals = errors.Join(refusals, err)
			continue
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			refusals = errors.Join(refusals, err)
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		all, err := words(filepath.Join(dir, "cgroup.controllers"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range controllers {
			if slices.Contains(all, name) {
				have = append(have, name)
			}
		}
		return dir, have
	}
	t.Skipf("not testable: no group can be made here: %v", refusals)
	return "", nil
}

// TestGroups makes real control groups: a job is in its own group from its start on, and no group of a job is left.
func TestGroups(t *testing.T) {
	t.Parallel()
	dir, have := delegated(t)
	service := exec.CommandContext(t.Context(), "/bin/cat") // it ends with its input
	in, err := service.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	if err := set(dir, "cgroup.procs", strconv.Itoa(service.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, jobPrefix+"1-1")
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}
	var g groups
	if err := g.openIn(dir, service.Process.Pid, have); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the group of an earlier job stays")
	}
	if err := g.openIn(dir, service.Process.Pid, have); err != nil {
		t.Errorf("when it has moved already: %v", err)
	}
	if inside := runIn(t, &g, Limits{}, "cat /proc/self/cgroup"); !strings.Contains(inside, "/"+filepath.Base(dir)+"/"+jobPrefix) {
		t.Errorf("the job is in %s", inside)
	}
	if slices.Contains(have, "memory") {
		testMemory(t, &g)
	} else {
		t.Logf("not testable: the bound of memory: the controller is not given to groups of version 2 here (%v)", have)
	}
	if jobs, err := filepath.Glob(filepath.Join(dir, jobPrefix+"*")); err != nil || len(jobs) > 0 {
		t.Errorf("left: %v, %v", jobs, err)
	}
	if err := errors.Join(in.Close(), service.Wait(), os.Remove(filepath.Join(dir, serviceGroup))); err != nil {
		t.Error(err)
	}
}

// runIn runs a script in a group of its own and returns what it prints.
func runIn(t *testing.T, g *groups, l Limits, script string) string {
	t.Helper()
	made, err := g.make(l)
	if err != nil {
		t.Fatal(err)
	}
	defer made.remove()
	job := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
	job.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(made.at.Fd())}
	out, err := job.CombinedOutput()
	if killed := made.killed() > 0; (err != nil) != killed {
		t.Errorf("%v, ended for its memory: %v", err, killed)
	}
	if err != nil {
		return "killed"
	}
	return string(out)
}

func testMemory(t *testing.T, g *groups) {
	t.Helper()
	const greedy = "head -c 300m /dev/zero | exec tail -n 1 | wc -c"
	if got := runIn(t, g, Limits{Memory: 1 << 30}, greedy); !strings.HasPrefix(got, "3") {
		t.Errorf("with enough memory it says %q", got)
	}
	if got := runIn(t, g, Limits{Memory: 32 << 20}, "exec tail -n 1 /dev/zero"); got != "killed" {
		t.Errorf("with too little memory it says %q", got)
	}
	g.most = 32 << 20
	if got := runIn(t, g, Limits{Memory: 1 << 30}, "exec tail -n 1 /dev/zero"); got != "killed" {
		t.Errorf("with more than its share it says %q", got)
	}
}

// TestGroup_killed reads counts of killed processes from files in the form of the kernel's memory.events.
func TestGroup_killed(t *testing.T) {
	t.Parallel()
	for events, want := range map[string]uint64{
		"low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 1\n": 2,
		"low 0\nhigh 0\nmax 7\noom 3\noom_kill 0\noom_group_kill 9\n": 0,
		"oom_kill many\n": 0,
		"":                0,
	} {
		g := &group{dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(g.dir, "memory.events"), []byte(events), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := g.killed(); got != want {
			t.Errorf("%q: %d, want %d", events, got, want)
		}
	}
	if got := (&group{dir: filepath.Join(t.TempDir(), "none")}).killed(); got != 0 {
		t.Errorf("without a file: %d", got)
	}
}
