// Package outputs makes the further outputs of a movie: other videos, a GIF, stills, sound, an HLS folder, a storyboard,
// a sequence of pictures. Their pictures and sounds are made from the finished MP4 and its matte, by ffmpeg in its
// sandbox. Decision 61.
package outputs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain/movie"
	"moviola/domain/result"
)

// Config is the configuration of a Maker. Tools must be set.
type Config struct {
	Tools *ffmpeg.Tools
	Cores int           // number of processors to use; 0: all
	Limit time.Duration // time limit for all outputs of a movie together; 0: 5 minutes
	Log   logrus.FieldLogger
}

// Maker makes outputs. It is safe for concurrent use. All movies share a limited number of places; each running program uses one.
type Maker struct {
	cfg    Config
	places chan struct{} // one value for each running program; its capacity is the limit
}

const (
	defaultLimit = 5 * time.Minute
	// threads is the number of threads that the encoder of an output may use.
	threads = 2
)

// Reasons for which outputs are not made, for the movie's owner.
const (
	tooLate     = "It could not be made in time: all outputs of a movie together have %s"
	tooLateAll  = "It could not be made in time: the time limit of the movie was reached"
	stalled     = "It could not be made: ffmpeg made no progress"
	notMade     = "It could not be made"
	noSound     = "The movie has no sound"
	noEncoder   = "This server cannot make it: its ffmpeg lacks the encoder %s"
	gifTooLong  = "A GIF can be at most %s long: take webm for longer movies"
	tooManyPNG  = "A sequence of pictures can have at most %d, the movie has %d: take fewer frames per second, or a shorter movie"
	fileTooLong = "It would be larger than %d MB"
)

// New returns a Maker.
func New(cfg Config) *Maker {
	if cfg.Limit <= 0 {
		cfg.Limit = defaultLimit
	}
	if cfg.Cores <= 0 {
		cfg.Cores = runtime.NumCPU()
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	return &Maker{cfg: cfg, places: make(chan struct{}, max(1, cfg.Cores/threads))}
}

// Make makes the outputs of a movie, one after the other. See processors.Outputs.
func (m *Maker) Make(ctx context.Context, job commands.OutputJob) ([]movie.Output, error) {
	until, late := time.Now().Add(m.cfg.Limit), fmt.Sprintf(tooLate, m.cfg.Limit)
	if !job.Until.IsZero() && job.Until.Before(until) {
		until, late = job.Until, tooLateAll
	}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	var all []movie.Output
	for _, format := range job.Formats {
		made, err := m.one(limited, job, format)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var refused refusal
		switch {
		case err == nil:
		case errors.As(err, &refused):
			made = movie.Output{Format: format}.Failed(string(refused))
		case limited.Err() != nil:
			made = movie.Output{Format: format}.Failed(late)
		case errors.Is(err, ffmpeg.ErrStalled):
			made = movie.Output{Format: format}.Failed(stalled)
		default:
			m.cfg.Log.WithError(err).WithField("format", format).Warn("output of a movie not made; the movie is finished without it")
			made = movie.Output{Format: format}.Failed(notMade)
		}
		all = append(all, made)
	}
	return all, nil
}

// refusal is the reason, for the movie's owner, why an output cannot be made.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// one waits for a free place and makes one output.
func (m *Maker) one(ctx context.Context, job commands.OutputJob, format string) (movie.Output, error) {
	recipe, known := recipes[format]
	if !known {
		return movie.Output{}, refuse("There is no output format '%s'", format)
	}
	select {
	case m.places <- struct{}{}:
		defer func() { <-m.places }()
	case <-ctx.Done():
		return movie.Output{}, ctx.Err()
	}
	dir, err := os.MkdirTemp(filepath.Dir(job.Movie), "output-")
	if err != nil {
		return movie.Output{}, fmt.Errorf("make a folder for an output: %w", err)
	}
	w := &work{tools: m.cfg.Tools, job: job, dir: dir, out: movie.Output{Format: format, Status: movie.OutputDone}}
	if err := recipe(ctx, w); err != nil {
		return movie.Output{}, fmt.Errorf("make %s: %w", format, err)
	}
	return w.out, nil
}

// work is one output while it is made.
type work struct {
	tools *ffmpeg.Tools
	job   commands.OutputJob
	dir   string // folder for the files of this output only
	out   movie.Output
}

// path is the path of a file of the output.
func (w *work) path(name string) string { return filepath.Join(w.dir, name) }

// made adds a finished file to the result.
func (w *work) made(name string) error {
	info, err := os.Stat(w.path(name))
	if err != nil {
		return err
	}
	w.out.Files = append(w.out.Files, movie.OutputFile{Name: name, Key: w.path(name), Size: info.Size()})
	return nil
}

// shown records the size of an output's pictures. It also records the movie's length as the length of the output.
func (w *work) shown(width, height int) {
	w.out.Width, w.out.Height, w.out.Duration = width, height, result.Duration(w.job.Plan)
}

// input is the finished MP4, read from the time seek in seconds on.
func (w *work) input(seek float64) ffmpeg.Input {
	return ffmpeg.Input{Path: w.job.Movie, Format: "mov", Seek: seek}
}

// inputs returns the finished MP4 and its matte, both read from the time seek in seconds on.
func (w *work) inputs(seek float64) []ffmpeg.Input {
	return []ffmpeg.Input{w.input(seek), {Path: w.job.Matte, Format: "mov", Seek: seek}}
}

// run runs ffmpeg on inputs. bound is the largest size in bytes of each file that ffmpeg may write.
func (w *work) run(ctx context.Context, bound uint64, graph string, inputs []ffmpeg.Input, output ...string) error {
	limit := defaultLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(time.Second, time.Until(deadline))
	}
	err := w.tools.Run(ctx, ffmpeg.Command{
		Inputs: inputs, Graph: graph, Output: output, Dir: w.dir, Read: w.read(), FileBytes: bound,
		Limit: limit, Stall: limit, // some outputs report no progress on the way
	})
	var exit *ffmpeg.ExitError
	if errors.As(err, &exit) && w.full(bound) {
		return refuse(fileTooLong, bound>>20)
	}
	return err
}

// read returns the folders of the inputs, which the program may read.
func (w *work) read() []string {
	folders := []string{filepath.Dir(w.job.Movie)}
	if w.job.Matte != "" {
		folders = append(folders, filepath.Dir(w.job.Matte))
	}
	return folders
}

// full reports whether a file of the output has reached the size limit bound: the limit then has ended ffmpeg.
func (w *work) full(bound uint64) bool {
	entries, _ := os.ReadDir(w.dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Size() >= int64(bound)-4096 { //nolint:gosec // bounds are small
			return true
		}
	}
	return false
}
