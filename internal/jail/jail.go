package jail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Command is the first argument of the program of Config.Self when it is to become a jailed program.
const Command = "__jail"

// Config is the configuration of a Jail.
type Config struct {
	// Self is a program that contains this package, and so answers the argument Command: usually that of the function Self.
	Self string
	// Off starts programs without a jail, and without resource limits.
	Off bool
	// Groups puts each job into a control group of its own. For that, this process moves into a group below its own group, which
	// must be delegated to it.
	Groups bool
	// Without are layers to leave out, as on a machine that refuses them. For tests.
	Without []Layer
}

// Jail starts programs in a sandbox. It is safe for concurrent use. A nil Jail starts them without one.
type Jail struct {
	self    string
	off     bool
	without []Layer
	root    bool // programs can be started as another user
	machine machine
	groups  groups
}

// New returns a Jail. Unless cfg.Off is set, it finds out what the machine allows.
func New(cfg Config) (*Jail, error) {
	j := &Jail{self: cfg.Self, off: cfg.Off, without: cfg.Without, root: os.Geteuid() == 0}
	j.groups.err = errLeftOut
	if j.off {
		return j, nil
	}
	if _, err := os.Stat(j.self); err != nil {
		return nil, fmt.Errorf("find the program that jails others: %w", err)
	}
	j.examine()
	if cfg.Groups && !j.leavesOut(ControlGroup) {
		j.examineGroups()
	}
	return j, nil
}

// Off reports whether programs are started without a jail.
func (j *Jail) Off() bool { return j == nil || j.off }

// Refuses returns the reason why a program cannot have these namespaces here; nil: it can.
func (j *Jail) Refuses(s Spaces) error {
	if s == NoSpaces {
		return nil
	}
	if j.Off() {
		return errors.New("no namespaces: programs are started as they are")
	}
	return j.machine.namespaces
}

// Child is a program in its jail that has not been started yet.
type Child struct {
	*exec.Cmd
	// Handover is the socket from which the caller receives the listeners of the policy's ports. It is nil when the policy
	// has no ports or the program has no network namespace. The caller closes it.
	Handover *os.File

	mine  []*os.File
	group *group // control group of the program; nil: none
}

// Release closes descriptors that only the program needs. Call it after Start has returned, or if Start is not called.
func (c *Child) Release() {
	for _, f := range c.mine {
		_ = f.Close()
	}
	c.mine = nil
}

// End removes the program's control group, and reports whether the kernel has killed any of its processes because memory
// ran out; false without a control group. Call it once, after the program has ended, or if it was not started.
func (c *Child) End() (outOfMemory bool) {
	if c.group == nil {
		return false
	}
	outOfMemory = c.group.killed() > 0
	c.group.remove()
	return outOfMemory
}

// spec tells the program of Config.Self, when it is started with Command, how to confine itself before it executes the
// program.
type spec struct {
	Policy
	Dir     string  `json:"dir,omitempty"`
	Mounts  []mount `json:"mounts,omitempty"`
	Root    bool    `json:"root"`    // make a root folder for the program
	Network bool    `json:"network"` // the program has a network namespace: open the ports
	// Handover is the descriptor of the socket over which the jailed process gives the listeners of the policy's ports to
	// this service; 0: it gives none.
	Handover int  `json:"handover,omitempty"`
	Keep     int  `json:"keep"`               // first descriptor that the program does not get
	Landlock int  `json:"landlock,omitempty"` // version of Landlock; 0: none
	Seccomp  bool `json:"seccomp"`
	Check    bool `json:"check,omitempty"` // exit instead of executing the program
}

// mount is a path of the service that appears in the program's root folder, under the same name.
type mount struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	Run   bool   `json:"run,omitempty"` // the path contains the program, which may be executed there
	// descriptor of the mount, if the service has made it for another user; 0: the path is mounted in the jail
	FD int `json:"fd,omitempty"`
}

// Child returns program with args, confined by the policy as far as this machine allows it, with files as its descriptors
// from 3 on. If the jail is off, it is not confined. Its environment is empty until Env is set; its process group is
// killed when ctx ends.
func (j *Jail) Child(ctx context.Context, p Policy, program string, args []string, files ...*os.File) (*Child, error) {
	return j.child(ctx, p, false, append([]string{program}, args...), files)
}

func (j *Jail) child(ctx context.Context, p Policy, check bool, command []string, files []*os.File) (*Child, error) {
	if j == nil {
		j = &Jail{off: true, root: os.Geteuid() == 0}
	}
	c := &Child{}
	p = j.fit(p)
	own := j.own(p)
	if !j.off {
		jailed, err := j.wrap(c, p, &own, check, command, len(files))
		if err != nil {
			c.Release()
			return nil, err
		}
		command = jailed
		if c.group, err = j.groups.make(p.Limits); err != nil {
			c.Release()
			return nil, err
		}
	}
	c.Cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = []string{}
	c.ExtraFiles = append(slices.Clone(files), c.mine...)
	c.Dir = "/"
	if j.off && p.Write != "" {
		c.Dir = p.Write
	}
	c.SysProcAttr = attributes(p.Spaces, j.root, own, os.Geteuid(), os.Getegid())
	if c.group != nil {
		c.SysProcAttr.UseCgroupFD, c.SysProcAttr.CgroupFD = true, int(c.group.at.Fd())
	}
	c.Cancel = func() error { return unix.Kill(-c.Process.Pid, unix.SIGKILL) }
	return c, nil
}

// fit returns the policy with the namespaces that are available here.
func (j *Jail) fit(p Policy) Policy {
	if p.Spaces == 0 {
		p.Spaces = AllSpaces
	}
	if j.off || j.machine.namespaces != nil {
		p.Spaces = NoSpaces
	}
	return p
}

// own reports whether this service starts the program of the policy p as another user. Only root can do that. In a jail
// with the layer OwnUser, root does it if the program needs none of the service's files, or if files can be mapped to the
// other user here. Without a jail, or without the layer OwnUser, root does it if p has NeverRoot. The method wrap may
// still decide against it.
func (j *Jail) own(p Policy) bool {
	if !j.root || j.off || j.leavesOut(OwnUser) {
		return j.root && p.NeverRoot
	}
	return p.unprivate() || p.Spaces.files() && j.machine.refuses() == nil
}

// unprivate reports whether a policy names no files of this service.
func (p Policy) unprivate() bool { return len(p.Read) == 0 && p.Write == "" }

// wrap returns the command line that runs command in a jail: the program j.self confines itself and then executes command.
// wrap adds the files that j.self needs for that to the descriptors of c, after those of the program, whose number is
// files. *own says whether command is to run as another user. wrap sets it to false if one of the mounts cannot be mapped
// to that user.
func (j *Jail) wrap(c *Child, p Policy, own *bool, check bool, command []string, files int) ([]string, error) {
	s := spec{
		Policy: p, Dir: p.Write, Root: p.Spaces.files(), Network: p.Spaces.network(), Keep: 3 + files, Check: check,
		Landlock: j.machine.landlock, Seccomp: j.machine.seccomp == nil,
	}
	next := func(f *os.File) int {
		c.mine = append(c.mine, f)
		return 2 + files + len(c.mine)
	}
	// Another user may have no access to the folder of this binary: it is started through an open file, not by its name.
	self, err := os.Open(j.self)
	if err != nil {
		return nil, fmt.Errorf("open this program: %w", err)
	}
	path := fmt.Sprintf("/proc/self/fd/%d", next(self))
	s.Mounts = p.mounts(command[0])
	if s.Root && *own {
		lent, err := j.machine.lendAll(s.Mounts)
		if *own = err == nil; err == nil {
			for i, f := range lent {
				s.Mounts[i].FD = next(f)
			}
		}
	}
	if s.Network && len(p.Ports) > 0 {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("open the way for ports: %w", err)
		}
		c.Handover = os.NewFile(uintptr(pair[0]), "handover")
		s.Handover = next(os.NewFile(uintptr(pair[1]), "handover"))
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write jail: %w", err)
	}
	return append([]string{path, Command, string(text)}, command...), nil
}

// mounts are the mounts of a program's root folder besides the system, the shorter paths first: a path inside of another one is
// mounted on it.
func (p Policy) mounts(program string) []mount {
	var all []mount
	if at := filepath.Dir(program); !systemFile(at) {
		all = append(all, mount{Path: at, Run: true})
	}
	for _, path := range p.Read {
		if path != p.Write && !systemFile(path) {
			all = append(all, mount{Path: filepath.Clean(path)})
		}
	}
	if p.Write != "" {
		all = append(all, mount{Path: filepath.Clean(p.Write), Write: true})
	}
	slices.SortStableFunc(all, func(a, b mount) int { return len(a.Path) - len(b.Path) })
	return slices.CompactFunc(all, func(a, b mount) bool { return a.Path == b.Path })
}

// systemFile reports whether a path is visible to every program.
func systemFile(path string) bool {
	return slices.ContainsFunc(systemPaths, func(system string) bool {
		return path == system || strings.HasPrefix(path, system+"/")
	})
}
