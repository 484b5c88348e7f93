package browser

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// level is one way of confining a browser. Not every machine allows every one.
type level struct {
	name    string
	jailed  bool    // through the jailer: Landlock, limits
	clone   uintptr // the namespaces it gets
	sandbox bool    // Chromium's own sandbox is on
}

const (
	netOnly = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	allOwn  = netOnly | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
)

// levels are tried from the first on until one works; the last ones are what a locked-down container leaves.
var levels = []level{
	{"own network, processes and files, Landlock, Chromium's sandbox", true, allOwn, true},
	{"own network, Landlock, Chromium's sandbox", true, netOnly, true},
	{"Landlock, Chromium's sandbox", true, 0, true},
	{"Landlock, without Chromium's sandbox", true, 0, false},
	{"Chromium's sandbox", false, 0, true},
	{"without any sandbox", false, 0, false},
}

func (l level) network() bool { return l.clone&syscall.CLONE_NEWNET != 0 }
func (l level) mounts() bool  { return l.clone&syscall.CLONE_NEWNS != 0 }

// process returns how the operating system starts a browser of this level: in a process group of its own, ended by the kernel
// when this process ends, and never as root.
func (l level) process() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	root := os.Geteuid() == 0
	if root {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	if l.clone == 0 {
		return attr
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if root {
		uid, gid = nobody, nobody
	} else {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: true}
	}
	attr.Cloneflags = l.clone
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: gid, Size: 1}}
	attr.GidMappingsEnableSetgroups = root
	// The jail needs them in its namespaces for a moment, and drops them.
	attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN}
	return attr
}
