package rendering

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"

	"moviola/adapters/browser"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/speech"
	"moviola/internal/jail"
)

// Sandbox starts the programs of this process and knows which layers of the sandbox confine them.
type Sandbox struct {
	jail   *jail.Jail
	states []jail.State
}

// openSandbox detects the layers of the sandbox for programs that read and write below dir, and logs them. With --sandbox
// require, a missing layer is an error.
func openSandbox(mode jail.Mode, dir string, log logrus.FieldLogger) (*Sandbox, error) {
	s, err := examineSandbox(mode, dir)
	if err != nil {
		return nil, err
	}
	for _, program := range s.programs() {
		s.tell(program, log)
	}
	if mode == jail.Require {
		return s, jail.Demand(s.states)
	}
	return s, nil
}

func examineSandbox(mode jail.Mode, dir string) (*Sandbox, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	self, err := jail.Self()
	if err != nil {
		return nil, err
	}
	j, err := jail.New(jail.Config{Self: self, Off: mode == jail.Off, Groups: true})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	trial, err := os.MkdirTemp(dir, "sandbox-")
	if err != nil {
		return nil, fmt.Errorf("make the folder in which the sandbox is tried: %w", err)
	}
	s := &Sandbox{jail: j}
	s.states = j.Report(append(ffmpeg.Policies(program, trial), speech.Policy(), browser.Policy())...)
	return s, os.Remove(trial)
}

// programs returns the names of the programs that have a sandbox, each once.
func (s *Sandbox) programs() []string {
	var all []string
	for _, state := range s.states {
		if len(all) == 0 || all[len(all)-1] != state.Program {
			all = append(all, state.Program)
		}
	}
	return all
}

// States are the states of the layers of all programs.
func (s *Sandbox) States() []jail.State { return slices.Clone(s.states) }

// tell logs the sandbox of a program.
func (s *Sandbox) tell(program string, log logrus.FieldLogger) {
	var missing []string
	for _, state := range s.states {
		if state.Program != program {
			continue
		}
		log = log.WithField(string(state.Layer), string(state.Condition))
		if state.Condition == jail.Disabled {
			log.Warnf("%s runs without a sandbox", program)
			return
		}
		if state.Condition == jail.Missing {
			missing = append(missing, fmt.Sprintf("%s: %s", state.Layer, state.Detail))
		}
	}
	if len(missing) > 0 {
		log.WithField("missing", strings.Join(missing,
			"; ")).Warnf("%s runs with some layers of its sandbox missing; see `moviola doctor`", program)
		return
	}
	log.Infof("%s runs in a sandbox", program)
}

// Describe implements prometheus.Collector.
func (s *Sandbox) Describe(to chan<- *prometheus.Desc) { to <- sandboxLayer }

// Collect implements prometheus.Collector.
func (s *Sandbox) Collect(to chan<- prometheus.Metric) {
	for _, state := range s.states {
		to <- prometheus.MustNewConstMetric(sandboxLayer, prometheus.GaugeValue, 1, string(state.Layer), state.Program,
			string(state.Condition))
	}
}

var sandboxLayer = prometheus.NewDesc("moviola_sandbox_layer",

	"1 for the state of each layer of the sandbox of each program: on, missing, off, or unneeded.",
	[]string{"layer", "program", "state"}, nil)

// PrintSandbox prints for `moviola doctor` the sandbox of programs on this host, and how to get missing layers.
func PrintSandbox(to io.Writer) error {
	dir, err := os.MkdirTemp("", "moviola-doctor-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // errors are ignored: the folder has only temporary files
	s, err := examineSandbox(jail.Best, dir)
	if err != nil {
		return err
	}
	missing := false
	for _, state := range s.states {
		text := string(state.Condition)
		if state.Detail != "" {
			text += ": " + state.Detail
		}
		missing = missing || state.Condition == jail.Missing
		if _, err := fmt.Fprintf(to, "sandbox of %-12s %-18s %s\n", state.Program, state.Layer, text); err != nil {
			return err
		}
	}
	if missing {
		_, err = fmt.Fprintln(to, "docs/security.md says how to get the layers that are missing; --sandbox require refuses "+
			"to start without them")
	}
	return err
}
