package jail

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Spaces are kinds of namespaces, as flags of clone.
type Spaces uintptr

const (
	// NetworkSpaces isolate the network. The program still sees the files and processes of the service.
	NetworkSpaces Spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	// AllSpaces isolate network, files and processes.
	AllSpaces = NetworkSpaces | unix.CLONE_NEWPID | unix.CLONE_NEWNS
	// NoSpaces means that the program stays in the service's namespaces.
	NoSpaces Spaces = 1
)

func (s Spaces) network() bool { return s&unix.CLONE_NEWNET != 0 }
func (s Spaces) files() bool   { return s&unix.CLONE_NEWNS != 0 }

// Nobody is the id of the user and of the group as which a program runs in its namespace. If this service runs as root, and
// starts the program as another user, that user has this id outside of the namespace, too.
const Nobody = 65534

// attributes returns how the operating system starts a program in the namespaces s. The program gets a process group of its
// own, and the kernel kills it when this service ends. uid and gid are the ids of this service, and root tells whether it
// is root. If it is, and own is true, the program runs as the user Nobody instead of as root.
func attributes(s Spaces, root, own bool, uid, gid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if root && own {
		uid, gid = Nobody, Nobody
		attr.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody}
	}
	if s == NoSpaces {
		return attr
	}
	// Only root can drop groups. The programs of a plain user keep its groups, and with them its access to files of these
	// groups.
	attr.Credential = &syscall.Credential{Uid: Nobody, Gid: Nobody, NoSetGroups: !root}
	attr.Cloneflags = uintptr(s)
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: Nobody, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: Nobody, HostID: gid, Size: 1}}
	attr.GidMappingsEnableSetgroups = root
	// Setting up the namespaces needs these capabilities for a moment; then they are dropped.
	attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	return attr
}
