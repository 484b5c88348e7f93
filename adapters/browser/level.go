package browser

import (
	"moviola/internal/jail"
)

// level is one way of confining a browser. Not every machine allows every one.
type level struct {
	name    string
	jailed  bool        // by the service's jail
	spaces  jail.Spaces // the namespaces it gets there
	sandbox bool        // Chromium's own sandbox is on
}

// levels are tried from the first on until one works; the last ones are what a locked-down container leaves.
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

// Policy is what a browser may touch and use up where the machine allows everything, for reports of what confines it.
func Policy() jail.Policy {
	return levels[0].policy(ownHome, []uint16{pagePort, quietPort}, defaultMemoryMB)
}

const (
	homeMB       = 256
	maxFileBytes = 1 << 30 // memory shared between its processes counts as files
	maxOpenFiles = 8192
	maxTasks     = 4096
)

// policy of a browser of this level. It writes to home only, and connects to the ports only.
func (l level) policy(home string, ports []uint16, memoryMB int) jail.Policy {
	return jail.Policy{
		Program: "chromium", System: readable, Home: home, HomeMB: homeMB, Ports: ports, Calls: jail.BrowserCalls,
		NeverRoot: true, Spaces: l.spaces,
		Proc: true, // it starts itself from there, and looks at its own processes
		Maps: l.sandbox,
		Limits: jail.Limits{Data: uint64(memoryMB+reservedMB) << 20, FileBytes: maxFileBytes, OpenFiles: maxOpenFiles, Tasks: maxTasks,
			Memory: uint64(memoryMB+reservedMB) << 21}, // it is several processes
	}
}

// readable is what Chromium and fontconfig read beside what every program does.
var readable = []string{
	"/etc/fonts", "/var/cache/fontconfig", "/sys/devices/system", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd",
	"/dev/random", "/dev/zero",
}

// jail starts the browsers of this level.
func (l level) jail(cfg Config) *jail.Jail {
	if l.jailed {
		return cfg.Jail
	}
	return nil
}
