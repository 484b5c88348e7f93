package ffmpeg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"moviola/internal/pressure"
)

// ErrStalled is the error of a run that was stopped because it made no progress, or did not end within its time limit.
var ErrStalled = errors.New("ffmpeg made no progress")

// Command is one run of ffmpeg.
type Command struct {
	Inputs []Input
	Graph  string   // the filter graph; only numbers and names of our own
	Output []string // the options and files of the outputs
	// Encoder is the encoder that Output names. The run may open the device nodes of this encoder. The zero value needs
	// none.
	Encoder Encoder
	// Dir is the folder that the run may write; relative names in Output are in it. Read lists the folders and files that it may
	// read.
	Dir  string
	Read []string
	// Frame is called with the number of written frames, a few times a second. It must not block.
	Frame func(frames int64)
	// Time is called with the duration of the output written so far, as often as Frame is called.
	Time func(time.Duration)
	// Stall is how long the run may make no progress before it is stopped with ErrStalled; 0: 30 s. Time in which programs wait for
	// a processor is left out, up to three times as much again (decision 98).
	Stall time.Duration
	Limit time.Duration // time limit of the run; 0: an hour
	// FileBytes is the largest size in bytes of a file that the run may write; 0: 16 GiB.
	FileBytes uint64
}

const (
	// DefaultStall is how long a run may make no progress.
	DefaultStall = 30 * time.Second
	defaultLimit = time.Hour
	// starvation is a factor of Stall: time in which programs wait for a processor is not counted as lack of progress, up
	// to starvation times Stall.
	starvation       = 3
	defaultFileBytes = 16 << 30
	maxAllocation    = 1 << 30
)

// Args returns the arguments of the run, without the program's name.
func (c Command) Args() []string {
	args := []string{
		"-nostdin", "-hide_banner", "-nostats", "-loglevel", "error", "-y",
		"-max_alloc", strconv.Itoa(maxAllocation),
		"-progress", "pipe:3", "-stats_period", "0.5",
	}
	args = append(args, c.Encoder.device()...)
	pipe := firstPipe
	for _, in := range c.Inputs {
		if in.Feed != nil {
			in.pipe = pipe
			pipe++
		}
		args = append(args, in.args()...)
	}
	if c.Graph != "" {
		args = append(args, "-filter_complex_script", c.graphFile())
	}
	return append(args, c.Output...)
}

func (c Command) graphFile() string { return filepath.Join(c.Dir, "graph.txt") }

// Run runs ffmpeg until it has ended. When ctx ends it is killed; the caller removes unfinished output.
func (t *Tools) Run(ctx context.Context, c Command) error {
	if c.Graph != "" {
		if err := os.WriteFile(c.graphFile(), []byte(c.Graph), 0o600); err != nil {
			return fmt.Errorf("write filter graph: %w", err)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make progress pipe: %w", err)
	}
	limit := orDefault(c.Limit, defaultLimit)
	ctx, cancelLimit := context.WithTimeoutCause(ctx, limit, ErrStalled)
	defer cancelLimit()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	feeds, err := c.open()
	if err != nil {
		return errors.Join(err, read.Close(), write.Close())
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer read.Close()
		stall := orDefault(c.Stall, DefaultStall)
		watchdog := pressure.NewTimer(stall, starvation*stall, nil, func() { stop(ErrStalled) })
		watchdog.Start()
		defer watchdog.Stop()
		c.follow(read, watchdog.Renew)
	}()
	feedCtx, endFeeds := context.WithCancel(ctx)
	defer endFeeds()
	fed := feeds.start(feedCtx, stop)
	err = t.run(ctx, process{
		program: t.ffmpeg,
		args:    c.Args(),
		files:   append([]*os.File{write}, feeds.readers()...),
		started: feeds.closeReaders,
		policy:  encoding(decoding("ffmpeg", c.Read, c.Dir, limit*8, orDefault(c.FileBytes, defaultFileBytes)), c.Encoder),
	})
	write.Close()
	feeds.closeReaders()
	endFeeds()
	<-fed
	<-watched
	return err
}

// follow reads the output of -progress until the pipe is closed and reports it; moved is called on any progress.
func (c Command) follow(r io.Reader, moved func()) {
	last := map[string]int64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, text, _ := strings.Cut(lines.Text(), "=")
		if key != "frame" && key != "out_time_us" {
			continue
		}
		value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || value <= last[key] {
			continue
		}
		last[key] = value
		moved()
		if key == "frame" && c.Frame != nil {
			c.Frame(value)
		}
		if key == "out_time_us" && c.Time != nil {
			c.Time(time.Duration(value) * time.Microsecond)
		}
	}
}

func orDefault[T int64 | uint64 | time.Duration](value, usual T) T {
	if value == 0 {
		return usual
	}
	return value
}
