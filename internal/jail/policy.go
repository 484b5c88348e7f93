// Package jail confines the programs that this service starts: one policy for all of them, put together in one place. A program
// is started through this service's own binary, which gives up what the program does not need and then becomes it (see Main).
//
// The layers, from the outside in: namespaces of its own for users, files, processes, messages and network, with a root folder
// that holds nothing but what the policy names; a user of its own; no capabilities and no new privileges; Landlock; limits of
// resources; a list of the system calls that it may make; a control group that bounds the memory and the tasks of all its
// processes together. Each of them holds without the others, and each that the machine refuses is left out and reported.
package jail

import (
	"fmt"
	"strings"
)

// Calls names the list of system calls that a program may make.
type Calls string

// The lists. A decoder opens no sockets at all; a browser has connections over TCP and makes user namespaces for its own sandbox.
const (
	DecoderCalls Calls = "decoder"
	BrowserCalls Calls = "browser"
)

// Policy is what one program may touch and use up. Paths are absolute.
type Policy struct {
	Program string   `json:"program"`          // as it is called in reports: "ffmpeg"
	Read    []string `json:"read,omitempty"`   // files and folders of the service that it reads
	Write   string   `json:"write,omitempty"`  // a folder of the service that it writes, and its working folder; empty: none
	System  []string `json:"system,omitempty"` // files and folders of the system that it reads, beside those that every program does
	Home    string   `json:"home,omitempty"`   // a folder in memory that it writes; without namespaces it must exist
	HomeMB  int      `json:"home_mb,omitempty"`
	Proc    bool     `json:"proc,omitempty"`  // it reads /proc
	Maps    bool     `json:"maps,omitempty"`  // it makes user namespaces, whose maps are written in /proc
	Ports   []uint16 `json:"ports,omitempty"` // of 127.0.0.1, all it may connect to; without a network of its own they must be open
	Calls   Calls    `json:"calls"`
	// NeverRoot: it does not run as root, even without any jail.
	NeverRoot bool   `json:"-"`
	Limits    Limits `json:"limits"`
	// Spaces are the namespaces it gets, where the machine allows them; 0: AllSpaces.
	Spaces Spaces `json:"-"`
}

// Limits bound what a program uses up. A zero leaves the usual limit.
type Limits struct {
	AddressSpace uint64 `json:"as,omitempty"`    // bytes
	Data         uint64 `json:"data,omitempty"`  // bytes of memory of each process
	OpenFiles    uint64 `json:"files,omitempty"` // of each process
	CPUSeconds   uint64 `json:"cpu,omitempty"`   // of each process
	FileBytes    uint64 `json:"file,omitempty"`  // of each file written
	// processes and threads, where it has a user namespace or a control group of its own
	Tasks  uint64 `json:"tasks,omitempty"`
	Memory uint64 `json:"-"` // bytes of all its processes together, where it has a control group of its own
}

// Layer is one way to confine a program.
type Layer string

// The layers, as reports name them.
const (
	Namespaces    Layer = "namespaces"
	OwnUser       Layer = "user"
	Capabilities  Layer = "capabilities"
	NoPrivileges  Layer = "no-new-privileges"
	Landlock      Layer = "landlock"
	Seccomp       Layer = "seccomp"
	ResourceLimit Layer = "limits"
	ControlGroup  Layer = "cgroup"
)

// Layers are all of them, in the order of reports.
var Layers = []Layer{Namespaces, OwnUser, Capabilities, NoPrivileges, Landlock, Seccomp, ResourceLimit, ControlGroup}

// Mode is what --sandbox says.
type Mode string

// The modes. Require refuses to start when a layer is missing; Best leaves out what the machine refuses.
const (
	Require Mode = "require"
	Best    Mode = "best"
	Off     Mode = "off"
)

// String makes the mode a flag's value.
func (m *Mode) String() string { return string(*m) }

// Type is what a flag's help calls its value.
func (m *Mode) Type() string { return "mode" }

// Set reads a flag.
func (m *Mode) Set(text string) error {
	switch mode := Mode(strings.TrimSpace(text)); mode {
	case Require, Best, Off:
		*m = mode
		return nil
	}
	return fmt.Errorf("%q is none of require, best and off", text)
}

// systemPaths are what the dynamic loader, its libraries and every shell read.
var systemPaths = []string{"/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/dev/urandom"}

// devices may be written as well.
var devices = []string{"/dev/null"}
