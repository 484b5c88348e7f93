package browser

import (
	"moviola/internal/jail"
)

// level is one degree of confining a browser. Not every machine supports every one.
type level struct {
	name    string
	jailed  bool        // confined by the service's jail
	spaces  jail.Spaces // namespaces that the jail uses
	sandbox bool        // Chromium's own sandbox is on
}

// levels are all degrees of confining a browser, the strictest first. The pool tries one after the other until a browser
// starts (see Pool.start). It leaves out those that the configuration or this machine excludes. The last ones are, for
// example, for locked-down containers, which refuse the stricter ones.
var levels = []level{
	{"own network, processes and files, Landlock, Chromium's sandbox", true, jail.AllSpaces, true},
	{"own network, Landlock, Chromium's sandbox", true, jail.NetworkSpaces, true},
	{"Landlock, Chromium's sandbox", true, jail.NoSpaces, true},
	{"Landlock, without Chromium's sandbox", true, jail.NoSpaces, false},
	{"Chromium's sandbox", false, jail.NoSpaces, true},
	{"without any sandbox", false, jail.NoSpaces, false},
}

func (l level) network() bool { return l.spaces == jail.AllSpaces || l.spaces == jail.NetworkSpaces }
func (l level) mounts() bool  { return l.spaces == jail.AllSpaces }

// Policy is the jail policy of a browser on a machine that supports everything, for reports.
func Policy() jail.Policy {
	return levels[0].policy(ownHome, []uint16{pagePort, quietPort}, defaultMemoryMB)
}

const (
	homeMB       = 256
	maxFileBytes = 1 << 30 // shared memory of the browser's processes counts as files
	maxOpenFiles = 8192
	maxTasks     = 4096
)

// policy returns the jail policy of a browser at this level. The browser may write to the folder home only, and connect to the
// given ports only.
func (l level) policy(home string, ports []uint16, memoryMB int) jail.Policy {
	return jail.Policy{
		Program: "chromium", System: readable, Home: home, HomeMB: homeMB, Ports: ports, Calls: jail.BrowserCalls,
		NeverRoot: true, Spaces: l.spaces,
		Proc: true, // the browser starts processes by way of /proc/self/exe, and inspects its own processes
		Maps: l.sandbox,
		Limits: jail.Limits{Data: uint64(memoryMB+reservedMB) << 20, FileBytes: maxFileBytes, OpenFiles: maxOpenFiles, Tasks: maxTasks,
			// bytes for all processes of the browser together: twice the limit Data, which is for each process
			Memory: uint64(memoryMB+reservedMB) << 21},
	}
}

// readable are the files that Chromium and fontconfig read, besides those of every program.
var readable = []string{
	"/etc/fonts", "/var/cache/fontconfig", "/sys/devices/system", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd",
	"/dev/random", "/dev/zero",
}

// jail returns the jail in which browsers of this level start; nil: they start without one.
func (l level) jail(cfg Config) *jail.Jail {
	if l.jailed {
		return cfg.Jail
	}
	return nil
}
