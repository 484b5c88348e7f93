// Package ffmpeg runs the programs ffmpeg, ffprobe and heif-convert; the rest of the service runs them through it. Each
// run has its own process group, and bounded time. With a jail it also has low priority and bounded memory, and is
// confined to the folders it needs. Every input of a Command names its demuxer and the allowed decoders.
package ffmpeg

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	// Remembered is a file that keeps the result of a successful trial of ffmpeg for later processes; empty: each process tries.
	Remembered string
	Log        logrus.FieldLogger
}

// Tools runs ffmpeg and ffprobe. It is safe for concurrent use.
type Tools struct {
	ffmpeg, ffprobe string // absolute paths of the programs
	jail            *jail.Jail
	version         string
	x264            string // version of x264; empty: unknown
	dev             string // folder of device nodes
	probeLimit      time.Duration
	log             logrus.FieldLogger

	mu       sync.Mutex
	encoders string // the list of encoders, as ffmpeg prints it; empty: not asked for yet
}

// howToInstall ends the error message about a missing program.
const howToInstall = "install it (Debian, Ubuntu: apt-get install ffmpeg) or say where it is"

// needed are required filters and encoders that some builds of ffmpeg lack. The trial at the start uses all of them.
var needed = []string{"libx264", "zscale", "alimiter", "ebur128"}

// openLimit is the time limit for the programs' answers at the start. They can be slow on a busy machine.
const openLimit = 2 * time.Minute

// Open finds the programs, tries what is needed of ffmpeg unless an earlier trial is remembered, and reads its version. Its error
// says what to install.
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
	if cfg.Remembered != "" && t.recall(cfg.Remembered) {
		return t, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	if err := t.open(ctx); err != nil {
		return nil, err
	}
	if cfg.Remembered != "" {
		if err := t.remember(cfg.Remembered); err != nil {
			t.log.WithError(err).Debug("result of the trial of ffmpeg not kept; the next process tries ffmpeg again")
		}
	}
	return t, nil
}

// open tries everything that is needed in one run of ffmpeg. When that fails, more runs find out what is missing.
func (t *Tools) open(ctx context.Context) error {
	said, failed := t.tryWith(ctx, Encoder{}, []string{"-f", "lavfi", "-i", trialSound, "-map", "0:v"}, "zscale")
	out := said
	if failed != nil {
		var err error
		if out, err = t.ask(ctx, t.ffmpeg, "-version"); err != nil {
			return fmt.Errorf("%s does not run; %s: %w", t.ffmpeg, howToInstall, err)
		}
	}
	line, _, _ := strings.Cut(out, "\n")
	t.version, _, _ = strings.Cut(line, " Copyright")
	if failed == nil {
		t.x264 = said[strings.LastIndex(said, "\n")+1:]
		return nil
	}
	if err := t.checkAbilities(ctx); err != nil {
		return err
	}
	return fmt.Errorf("x264 of %s does not encode: %w", t.ffmpeg, failed)
}

// Version is the version line of ffmpeg, as in "ffmpeg version 5.1.9-0+deb12u1".
func (t *Tools) Version() string { return t.version }

// Encodes reports whether ffmpeg has the encoder of a name.
func (t *Tools) Encodes(ctx context.Context, name string) (bool, error) {
	encoders, err := t.listEncoders(ctx)
	return strings.Contains(encoders, " "+name+" "), err
}

// listEncoders returns the list of encoders that ffmpeg prints. It asks ffmpeg only if no earlier call has got the list.
func (t *Tools) listEncoders(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.encoders != "" {
		return t.encoders, nil
	}
	var err error
	t.encoders, err = t.list(ctx, "-encoders")
	return t.encoders, err
}

// list returns what ffmpeg lists under an option.
func (t *Tools) list(ctx context.Context, option string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	listed, err := t.ask(ctx, t.ffmpeg, "-hide_banner", "-v", "error", option)
	if err != nil {
		return "", fmt.Errorf("ask %s for its %s: %w", t.ffmpeg, strings.TrimPrefix(option, "-"), err)
	}
	return listed, nil
}

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

// checkAbilities returns an error that names one filter or encoder that ffmpeg was built without; nil: none in needed is
// missing.
func (t *Tools) checkAbilities(ctx context.Context) error {
	encoders, err := t.listEncoders(ctx)
	if err != nil {
		return err
	}
	filters, err := t.list(ctx, "-filters")
	if err != nil {
		return err
	}
	for _, name := range needed {
		if !strings.Contains(encoders+filters, " "+name+" ") {
			return fmt.Errorf("%s was built without %s; install a full build (Debian, Ubuntu: apt-get install ffmpeg)", t.ffmpeg, name)
		}
	}
	return nil
}

// ask runs a program with arguments and returns its output.
func (t *Tools) ask(ctx context.Context, program string, args ...string) (string, error) {
	var out bytes.Buffer
	p := process{program: program, args: args, stdout: &capped{to: &out, left: 1 << 20},
		policy: decoding("ffmpeg", nil, "", openLimit, 0)}
	err := t.run(ctx, p)
	return out.String(), err
}
