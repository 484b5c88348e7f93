// Package jail confines the programs that this service starts, each by a policy. A program is started through another one
// (see Config.Self), which drops the rights that the program does not need and then executes it.
//
// The layers: namespaces for users, files, processes, messages and network, with a root folder that contains only common
// files of the system and what the policy names; a user of its own; no capabilities and no new privileges; Landlock;
// resource limits; a list of allowed system calls; a control group that bounds memory and tasks of all processes of a
// program together. A layer that the machine refuses is left out and reported; the others remain.
package jail

import (
	"fmt"
	"strings"
)

// Calls names a list of allowed system calls.
type Calls string

// The lists of system calls for each kind of program. A decoder cannot open sockets; a hardware encoder may also speak to the
// drivers of graphics cards; a browser has TCP connections and creates user namespaces for its own sandbox.
const (
	DecoderCalls Calls = "decoder"
	EncoderCalls Calls = "encoder"
	BrowserCalls Calls = "browser"
)

// Policy says what one program may access and use up. Paths are absolute.
type Policy struct {
	Program string   `json:"program"`        // name of the program in reports: "ffmpeg"
	Read    []string `json:"read,omitempty"` // files and folders of the service that the program may read
	// A folder of the service that the program may write, also its working folder; empty: none.
	Write string `json:"write,omitempty"`
	// Files and folders of the system that the program may read, besides the common ones.
	System  []string `json:"system,omitempty"`
	Devices []string `json:"devices,omitempty"` // device nodes that the program may read, write and control
	Home    string   `json:"home,omitempty"`    // a writable folder in memory; without namespaces it must exist
	HomeMB  int      `json:"home_mb,omitempty"`
	Proc    bool     `json:"proc,omitempty"` // the program may read /proc
	Maps    bool     `json:"maps,omitempty"` // the program creates user namespaces, whose maps are written in /proc
	// ports of 127.0.0.1, the only ones the program may connect to; without a network namespace they must be open
	Ports []uint16 `json:"ports,omitempty"`
	Calls Calls    `json:"calls"`
	// NeverRoot makes a service that is root start the program as the user Nobody, even without a jail. There are
	// exceptions: in a jail, the program keeps the user of this service if files of the policy or the program's own folder
	// cannot be mapped to Nobody, or if root cannot become another user on this machine.
	NeverRoot bool   `json:"-"`
	Limits    Limits `json:"limits"`
	// Spaces are the namespaces that the program gets if the machine allows them; 0: AllSpaces.
	Spaces Spaces `json:"-"`
}

// Limits bound the resources of a program. Zero leaves the default limit.
type Limits struct {
	AddressSpace uint64 `json:"as,omitempty"`    // bytes of address space per process
	Data         uint64 `json:"data,omitempty"`  // bytes of memory per process
	OpenFiles    uint64 `json:"files,omitempty"` // open files per process
	CPUSeconds   uint64 `json:"cpu,omitempty"`   // seconds of processor time per process
	FileBytes    uint64 `json:"file,omitempty"`  // bytes per written file
	// Tasks is the largest number of processes and threads. It is in force only if the program has its own namespaces for
	// files (AllSpaces), or a control group of its own.
	Tasks  uint64 `json:"tasks,omitempty"`
	Memory uint64 `json:"-"` // bytes of all processes together, if the program has a control group of its own
}

// Layer is one mechanism of the sandbox that confines a program.
type Layer string

// The layers of the sandbox, as reports name them.
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

// Layers are all layers of the sandbox, in the order of reports.
var Layers = []Layer{Namespaces, OwnUser, Capabilities, NoPrivileges, Landlock, Seccomp, ResourceLimit, ControlGroup}

// Mode is the value of the flag --sandbox.
type Mode string

// The values of --sandbox. With Require the service does not start when a layer is missing; Best leaves out the layers that the
// machine refuses; Off starts programs without a sandbox.
const (
	Require Mode = "require"
	Best    Mode = "best"
	Off     Mode = "off"
)

// String implements the interface of flag values.
func (m *Mode) String() string { return string(*m) }

// Type is the name of the value in the flag's help.
func (m *Mode) Type() string { return "mode" }

// Set parses the flag's value.
func (m *Mode) Set(text string) error {
	switch mode := Mode(strings.TrimSpace(text)); mode {
	case Require, Best, Off:
		*m = mode
		return nil
	}
	return fmt.Errorf("%q is none of require, best and off", text)
}

// systemPaths are read by the dynamic loader, its libraries and every shell.
var systemPaths = []string{"/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/dev/urandom"}

// devices are paths that may also be written.
var devices = []string{"/dev/null"}
