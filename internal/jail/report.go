package jail

import (
	"errors"
	"fmt"
	"strings"
)

// Condition tells whether a layer of the sandbox (a mechanism such as Landlock) is in force.
type Condition string

// The conditions in which a layer of the sandbox can be. On means that it is in force.
const (
	On       Condition = "on"
	Missing  Condition = "missing"  // the machine refuses this layer of the sandbox
	Disabled Condition = "off"      // this layer of the sandbox is disabled by --sandbox off
	Unneeded Condition = "unneeded" // this layer of the sandbox has nothing to restrict
)

// State is the condition of one layer of the sandbox of a program.
type State struct {
	Program   string
	Layer     Layer
	Condition Condition
	Detail    string // why this layer of the sandbox is missing or not needed, or its version; may be empty
}

// String is the state in a line: "ffmpeg: landlock on (version 7)".
func (s State) String() string {
	text := fmt.Sprintf("%s: %s %s", s.Program, s.Layer, s.Condition)
	if s.Detail != "" {
		text += " (" + s.Detail + ")"
	}
	return text
}

// Report returns the state of each layer of the sandbox for each of these policies. Unless the jail is off, it tests their
// jails, without starting their programs. The paths of the policies must exist.
func (j *Jail) Report(policies ...Policy) []State {
	var all []State
	for _, p := range policies {
		all = append(all, j.report(p)...)
	}
	return all
}

func (j *Jail) report(p Policy) []State {
	var trial error
	if !j.off {
		trial = j.check(p)
	}
	var all []State
	for _, l := range Layers {
		s := State{Program: p.Program, Layer: l, Condition: On}
		switch {
		case j.off:
			s.Condition = Disabled
		case trial != nil:
			s.Condition, s.Detail = Missing, "the jail cannot be made: "+trial.Error()
		default:
			s.Condition, s.Detail = j.condition(p, l)
		}
		all = append(all, s)
	}
	return all
}

// condition returns the condition of one layer of the sandbox, for a jail that can be made.
func (j *Jail) condition(p Policy, l Layer) (Condition, string) {
	missing := func(err error) (Condition, string) {
		if err == nil {
			return On, ""
		}
		return Missing, err.Error()
	}
	switch l {
	case Namespaces:
		return missing(j.machine.namespaces)
	case Seccomp:
		return missing(j.machine.seccomp)
	case ControlGroup:
		return missing(j.groups.err)
	case Landlock:
		if j.machine.landlock > 0 {
			return On, fmt.Sprintf("version %d", j.machine.landlock)
		}
		return Missing, "the kernel has none, or it is not among the modules of its start (lsm=)"
	case OwnUser:
		switch {
		case j.machine.alone != nil:
			return missing(j.machine.alone)
		case !j.root:
			return Unneeded, "this service is not root"
		case j.own(j.fit(p)):
			return On, ""
		case j.leavesOut(OwnUser):
			return missing(errLeftOut)
		}
		return missing(j.machine.refuses())
	}
	return On, ""
}

// ErrMissing is the error for a machine that refuses a required layer.
var ErrMissing = errors.New("--sandbox require: this machine refuses layers of the sandbox")

// Demand returns ErrMissing, with the names of all missing layers, when a layer is missing.
func Demand(states []State) error {
	var missing []string
	for _, s := range states {
		if s.Condition == Missing {
			missing = append(missing, s.String())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w; `moviola doctor` and docs/security.md say how to get them: %s", ErrMissing, strings.Join(missing, "; "))
}
