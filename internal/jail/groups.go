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

// groups creates a control group (version 2) for each job, below the group of this service, if that is delegated to the service.
type groups struct {
	dir  string // folder of the service's own group; empty: control groups are not available
	err  error  // why control groups are not available
	most uint64 // memory limit of one job in bytes, whatever its policy says; 0: none
	made atomic.Uint64
}

// Names of the groups below the service's. The kernel does not pass the controller for memory down from a group that
// itself has processes (except the topmost group), so the service moves into a group of its own.
const (
	serviceGroup = "moviola-service"
	jobPrefix    = "moviola-job-"
)

// controllers are the controllers that a job's group needs.
var controllers = []string{"memory", "pids"}

// jobShare is the largest part of the service's memory limit for one job, so that the service survives a job that is too large.
const jobShare = 0.75

// groupMounts are the usual mount points of cgroups version 2.
var groupMounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// open finds the group that is delegated to this process, moves the process into a group below it, passes the controllers down,
// and removes groups that an earlier process of this service has left.
func (g *groups) open() {
	dir, err := ownGroup("/proc/self/cgroup", groupMounts)
	if err == nil {
		err = g.openIn(dir, os.Getpid(), controllers)
	}
	g.err = err
}

// ownGroup returns the folder of this process's group. If an earlier call has moved the process into a group below its own, it
// returns the folder of the group above.
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

// openIn does the steps of the method open for a given folder, process and controllers.
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
		if n, err := strconv.ParseUint(bound[0], 10, 64); err == nil { // other contents are "max": the group has no limit
			g.most = uint64(float64(n) * jobShare)
		}
	}
	return g.sweep()
}

// alone returns an error when a group has processes besides pid: they would have to be moved, and are not those of this service.
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

// sweep removes the groups of jobs that ended with an earlier process of the service. A group with a process may belong to
// another service and stays.
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
	at  *os.File // the group's folder, into which the job is started
}

// make creates the group of a job; nil if control groups are not available.
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

// killed is the number of processes of the group that the kernel has killed because memory ran out: the group's own memory
// or, for example, the machine's. It is 0 if the number cannot be read.
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

// remove removes the group of a job that has ended. If that fails, remaining processes are killed, on kernels that can
// kill a group, and the removal is tried once more. A group that is still there is removed at a later start.
func (g *group) remove() {
	_ = g.at.Close()
	if os.Remove(g.dir) == nil {
		return
	}
	_ = set(g.dir, "cgroup.kill", "1")
	_ = os.Remove(g.dir)
}

// set writes a value to an existing file of the group in the folder dir.
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
