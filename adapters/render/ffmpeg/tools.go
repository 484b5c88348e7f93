// Package ffmpeg runs the programs ffmpeg and ffprobe; no other package does. Each run has its own process group and low
// priority, is confined to the folders it needs, and has bounded memory, time and output. Every input names its demuxer and the
// allowed decoders.
package ffmpeg

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/internal/jail"
)

// Config tells where the programs are and how they are run.
type Config struct {
	FFmpeg  string // path or name of ffmpeg; empty: "ffmpeg"
	FFprobe string // path or name of ffprobe; empty: "ffprobe"
	// Jail starts the programs in a sandbox. Nil: they run without one.
	Jail *jail.Jail
	// Dev is the folder of device nodes; empty: /dev.
	Dev string
	// ProbeLimit is the time limit of a probe on a busy machine; 0: two minutes.
	ProbeLimit time.Duration
	Log        logrus.FieldLogger
}

// Tools runs ffmpeg and ffprobe. It is safe for concurrent use.
type Tools struct {
	ffmpeg, ffprobe string // absolute paths of the programs
	jail            *jail.Jail
	version         string
	encoders        string // the list of encoders, as ffmpeg prints it
	x264            string // version of x264; empty: unknown
	dev             string // folder of device nodes
	probeLimit      time.Duration
	log             logrus.FieldLogger
}

// howToInstall ends the error message about a missing program.
const howToInstall = "install it (Debian, Ubuntu: apt-get install ffmpeg) or say where it is"

// needed are required filters and encoders that some builds of ffmpeg lack.
var needed = []string{"libx264", "zscale", "alimiter", "ebur128"}

// openLimit is the time limit for the programs' answers at the start. They can be slow on a busy machine.
const openLimit = 2 * time.Minute

// Open finds the programs and reads their versions. Its error says what to install.
func Open(ctx context.Context, cfg Config) (*Tools, error) {
	t := &Tools{jail: cfg.Jail, dev: cmp.Or(cfg.Dev, devFolder), log: cfg.Log}
	t.probeLimit = orDefault(cfg.ProbeLimit, defaultProbeLimit)
	if t.log == nil {
		t.log = logrus.StandardLogger()
	}
	var err error
	if t.ffmpeg, err = find(cfg.FFmpeg, "ffmpeg"); err != nil {
		return nil, err
	}
	if t.ffprobe, err = find(cfg.FFprobe, "ffprobe"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	out, err := t.ask(ctx, t.ffmpeg, "-version")
	if err != nil {
		return nil, fmt.Errorf("%s does not run; %s: %w", t.ffmpeg, howToInstall, err)
	}
	line, _, _ := strings.Cut(out, "\n")
	t.version, _, _ = strings.Cut(line, " Copyright")
	if err := t.checkAbilities(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Version is the version line of ffmpeg, as in "ffmpeg version 5.1.9-0+deb12u1".
func (t *Tools) Version() string { return t.version }

// Encodes reports whether ffmpeg has the encoder of a name.
func (t *Tools) Encodes(name string) bool { return strings.Contains(t.encoders, " "+name+" ") }

func find(given, usual string) (string, error) {
	if given == "" {
		given = usual
	}
	path, err := exec.LookPath(given)
	if err != nil {
		return "", fmt.Errorf("%s is missing; %s: %w", usual, howToInstall, err)
	}
	return filepath.Abs(path)
}

func (t *Tools) checkAbilities(ctx context.Context) error {
	encoders, err := t.ask(ctx, t.ffmpeg, "-hide_banner", "-v", "error", "-encoders")
	if err != nil {
		return fmt.Errorf("list encoders of %s: %w", t.ffmpeg, err)
	}
	t.encoders = encoders
	filters, err := t.ask(ctx, t.ffmpeg, "-hide_banner", "-v", "error", "-filters")
	if err != nil {
		return fmt.Errorf("list filters of %s: %w", t.ffmpeg, err)
	}
	for _, name := range needed {
		if !strings.Contains(encoders+filters, " "+name+" ") {
			return fmt.Errorf("%s was built without %s; install a full build (Debian, Ubuntu: apt-get install ffmpeg)", t.ffmpeg, name)
		}
	}
	t.x264, err = t.findX264(ctx)
	return err
}

// ask runs a program with arguments and returns its output.
func (t *Tools) ask(ctx context.Context, program string, args ...string) (string, error) {
	var out bytes.Buffer
	p := process{program: program, args: args, stdout: &capped{to: &out, left: 1 << 20},
		policy: decoding("ffmpeg", nil, "", openLimit, 0)}
	err := t.run(ctx, p)
	return out.String(), err
}
