package jail

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Spaces are kinds of namespaces, as flags of clone.
type Spaces uintptr

const (
	// NetworkSpaces leave a program its view of files and processes.
	NetworkSpaces Spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	// AllSpaces are files and processes of its own as well.
	AllSpaces = NetworkSpaces | unix.CLONE_NEWPID | unix.CLONE_NEWNS
	// NoSpaces are none: those of the service.
	NoSpaces Spaces = 1
)

func (s Spaces) network() bool { return s&unix.CLONE_NEWNET != 0 }
func (s Spaces) files() bool   { return s&unix.CLONE_NEWNS != 0 }

// Nobody is the user and the group that a program is in its namespace, and outside of it where this service is root.
const Nobody = 65534

// attributes say how the system starts a program: in a process group of its own, ended by the kernel when this service ends. own:
// as another user than root, when this service is root.
func attributes(s Spaces, root, own bool, uid, gid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if root && own {
		uid, gid = Nobody, Nobody
		attr.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody}
	}
	if s == NoSpaces {
		return attr
	}
	// Groups can be given up by root only; a plain user keeps them, and they name nobody in the namespace.
	attr.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody, NoSetGroups: !root}
	attr.Cloneflags = uintptr(s)
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: Nobody, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: Nobody, HostID: gid, Size: 1}}
	attr.GidMappingsEnableSetgroups = root
	// What is done in the namespaces needs them for a moment; then they are dropped.
	attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	return attr
}
