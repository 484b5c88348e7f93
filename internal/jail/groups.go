package jail

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// groups makes a control group (version 2) for each job, below the group of this service, where that is delegated to it.
type groups struct {
	dir  string // of the service's own group; empty: there are none
	err  error  // why there are none
	most uint64 // bytes that one job may have, whatever its policy says; 0: no bound
	made atomic.Uint64
}

// Names of the groups below the service's. The kernel gives controllers to the groups below one only while no process is in that
// one itself, so the service moves into a group of its own.
const (
	serviceGroup = "moviola-service"
	jobPrefix    = "moviola-job-"
)

// controllers are what a job's group needs.
var controllers = []string{"memory", "pids"}

// jobShare is what a job may have of the memory of the service's group: the service itself stays when a job is too large.
const jobShare = 0.75

// where cgroups of version 2 are mounted.
var groupMounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// open finds the group that is delegated to this process, moves the process below it, gives its controllers to the groups below,
// and removes what an earlier process of this service has left.
func (g *groups) open() {
	dir, err := ownGroup("/proc/self/cgroup", groupMounts)
	if err == nil {
		err = g.openIn(dir, os.Getpid(), controllers)
	}
	g.err = err
}

// ownGroup is the folder of this process's group, without the group that an earlier call has made for the service.
func ownGroup(self string, mounts []string) (string, error) {
	text, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		for _, mount := range mounts {
			dir := filepath.Join(mount, strings.TrimSuffix(path, "/"+serviceGroup))
			if _, err := os.Stat(filepath.Join(dir, "cgroup.controllers")); err == nil {
				return dir, nil
			}
		}
		return "", errors.New("no control groups of version 2 are mounted at /sys/fs/cgroup")
	}
	return "", errors.New("the kernel has no control groups of version 2")
}

// openIn is open in a folder, for a process and controllers.
func (g *groups) openIn(dir string, pid int, controllers []string) error {
	have, err := words(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for _, name := range controllers {
		if !slices.Contains(have, name) {
			return fmt.Errorf("the controller %s is not given to the group %s of this service (systemd: Delegate=yes)", name, dir)
		}
	}
	if err := alone(dir, pid); err != nil {
		return err
	}
	service := filepath.Join(dir, serviceGroup)
	if err := os.Mkdir(service, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the group of this service is not delegated to it (systemd: Delegate=yes): %w", err)
	}
	if err := set(service, "cgroup.procs", strconv.Itoa(pid)); err != nil {
		return fmt.Errorf("go to a group of its own: %w", err)
	}
	for _, name := range controllers {
		if err := set(dir, "cgroup.subtree_control", "+"+name); err != nil {
			return fmt.Errorf("give the controller %s to jobs: %w", name, err)
		}
	}
	g.dir = dir
	if bound, err := words(filepath.Join(dir, "memory.max")); err == nil && len(bound) == 1 {
		if n, err := strconv.ParseUint(bound[0], 10, 64); err == nil { // or it is "max"
			g.most = uint64(float64(n) * jobShare)
		}
	}
	return g.sweep()
}

// alone refuses a group in which others are: they would have to be moved, and they are not ours.
func alone(dir string, pid int) error {
	inside, err := words(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return err
	}
	for _, one := range inside {
		if one != strconv.Itoa(pid) {
			return fmt.Errorf("the group %s of this service has other processes in it: start the service in one of its own "+
				"(systemd: Delegate=yes)", dir)
		}
	}
	return nil
}

// sweep removes the groups of jobs that have ended with their service. One in which a process is left is another service's, and
// stays.
func (g *groups) sweep() error {
	left, err := filepath.Glob(filepath.Join(g.dir, jobPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if inside, err := words(filepath.Join(dir, "cgroup.procs")); err != nil || len(inside) > 0 {
			continue
		}
		if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the group of an earlier job: %w", err)
		}
	}
	return nil
}

// group is the control group of one job.
type group struct {
	dir string
	at  *os.File // its folder, to put the job into it as it is started
}

// make makes the group of a job; nil where there are none.
func (g *groups) make(l Limits) (*group, error) {
	if g.dir == "" {
		return nil, nil
	}
	dir := filepath.Join(g.dir, fmt.Sprintf("%s%d-%d", jobPrefix, os.Getpid(), g.made.Add(1)))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the control group of a job: %w", err)
	}
	made := &group{dir: dir}
	memory := l.Memory
	if g.most > 0 && (memory == 0 || memory > g.most) {
		memory = g.most
	}
	var err error
	if memory > 0 {
		err = set(dir, "memory.max", strconv.FormatUint(memory, 10))
	}
	if l.Tasks > 0 {
		err = errors.Join(err, set(dir, "pids.max", strconv.FormatUint(l.Tasks, 10)))
	}
	if err == nil {
		made.at, err = os.Open(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bound a job: %w", err), os.Remove(dir))
	}
	return made, nil
}

// killed is how many processes of the group were ended because its memory was used up.
func (g *group) killed() uint64 {
	f, err := os.Open(filepath.Join(g.dir, "memory.events"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if count, found := strings.CutPrefix(lines.Text(), "oom_kill "); found {
			n, err := strconv.ParseUint(count, 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}

// remove removes the group, in which nothing runs any more. What a job has left there is ended first; what the kernel still holds
// then is removed at the next start.
func (g *group) remove() {
	_ = g.at.Close()
	if os.Remove(g.dir) == nil {
		return
	}
	_ = set(g.dir, "cgroup.kill", "1")
	_ = os.Remove(g.dir)
}

// set writes a file of a group. They exist: none is made.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func words(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	return strings.Fields(string(text)), err
}
