package renders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"moviola/adapters/blobs"
	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/template/library"
	"moviola/internal/app/rendering"
	"moviola/internal/cli/exit"
	"moviola/internal/cli/input"
	"moviola/internal/cli/progress"
	"moviola/internal/config"
	"moviola/third_party/photographs"
)

// renderHelp is the long help of `moviola render`.
const renderHelp = `Render a movie JSON on this machine, without a server. FILE may be - for standard input.

The src of a video, image or audio element may name a file of this machine: a path, relative to the folder of FILE (of the current
folder for standard input), an absolute path, or file:///…; nothing else in the movie can name one. --vars and --var set
variables of the movie; a value that is written as a number, true, false, a JSON object, a list or a quoted text is read as that,
everything else is a text.

The exit status is 0 when the movie was made, 1 when the movie was refused or cannot be rendered, and 2 when the command could not
do its work.`

// maker holds the flags and arguments of one call of `moviola render`.
type maker struct {
	file, out, level string
	moment           float64
	still            bool // draw one moment as a picture instead of making the movie
	watch, asJSON    bool
	vars             input.Variables
	stdin            io.Reader
	stdout, stderr   io.Writer

	local  *localFiles
	engine *render.Engine
}

// RenderCommand is `moviola render`.
func RenderCommand() *cobra.Command {
	m := &maker{}
	cfg := config.Config{Cores: runtime.NumCPU(), HeldPictures: true}
	cmd := &cobra.Command{
		Use:   "render FILE|-",
		Short: "Render a movie JSON without a server",
		Long:  renderHelp,
		Example: "  moviola render movie.json -o movie.mp4\n" +
			"  moviola render movie.json --var name=Ada --vars more.json --watch\n" +
			"  moviola render movie.json --still 2.5 -o still.png\n" +
			"  make-json | moviola render - -o - > movie.mp4",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.file, m.still = args[0], cmd.Flags().Changed(stillFlag)
			m.stdin, m.stdout, m.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			cfg.UserCache = config.UserCache()
			if m.still && !cmd.Flags().Changed("output") {
				m.out = "still.png"
			}
			return ended(m.run(cmd.Context(), cfg))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&m.out, "output", "o", "movie.mp4", "the MP4 to write, - for standard output; with --still the PNG or JPEG "+
		"(default still.png), - writes a PNG")
	f.Float64Var(&m.moment, stillFlag, 0, "draw only what is seen at so many seconds, into the picture that --output names; "+
		"sources are loaded, providers are not asked")
	m.vars.Bind(f)
	f.BoolVar(&m.watch, "watch", false, "render again when the movie, its variables or a local file changes; what has not changed "+
		"is not rendered again")
	f.BoolVar(&m.asJSON, "json", false, "print what was made as one JSON object")
	f.StringSliceVar(&cfg.AllowHosts, "allow-host", nil, "host:port that may be reached although its address is not "+
		"public; repeatable")
	f.IntVar(&cfg.Cores, "cores", cfg.Cores, "processor cores to plan for")
	f.IntVar(&cfg.MemoryMB, "memory", 2048, "megabytes that the render may use")
	cfg.BindProviders(f)
	config.BindSandbox(f, &cfg.Sandbox)
	config.BindEncoder(f, &cfg.Encoder)
	f.StringVar(&m.level, "log-level", "error", "trace, debug, info, warn or error")
	return cmd
}

// ended adds an exit status to an error: one for a refusal of the movie, another for every other error.
func ended(err error) error {
	var refusal *domain.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal):
		return exit.With(err, exit.Findings)
	}
	return exit.With(err, exit.NotChecked)
}

// check refuses impossible combinations of flags before anything is opened.
func (m *maker) check() error {
	if err := m.checkOutput(); err != nil {
		return err
	}
	switch {
	case m.watch && m.file == "-":
		return errors.New("--watch: standard input cannot be watched: name a file")
	case m.watch && m.out == outStandard:
		return errors.New("--watch: name a file by --output: each movie replaces the one before")
	case m.out == outStandard && m.asJSON:
		return errors.New("--json and --output -: give one of them, standard output holds either")
	}
	return nil
}

// run opens a renderer and makes the movie once or, with --watch, again after every change.
func (m *maker) run(ctx context.Context, cfg config.Config) (err error) {
	if err := m.check(); err != nil {
		return err
	}
	if err := document.UseLook(cfg.Look); err != nil {
		return err
	}
	log, err := config.NewLog(m.stderr, m.level, "text")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "moviola-render-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	stored, err := blobs.Open(ctx, filepath.Join(dir, "files"))
	if err != nil {
		return err
	}
	defer func() { _ = stored.Close() }() // errors lose nothing: the folder is removed at the end
	if cfg.PublicURL == "" {              // without a service, the templates of the program need an address for their photographs
		cfg.PublicURL = strings.TrimSuffix(library.Photographs, photographs.Path)
	}
	folder, err := folderOf(m.file)
	if err != nil {
		return err
	}
	m.local = newLocalFiles(strings.TrimSuffix(cfg.PublicURL, "/"), folder)
	r, err := rendering.NewRenderer(ctx, cfg, dir, m.local, nil, stored, nil, rendering.Watched{}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	m.engine = r.Engine
	if m.watch {
		return m.watching(ctx, watchPause)
	}
	return m.once(ctx)
}

// once reads the movie JSON, and then renders the movie, or draws the still, once.
func (m *maker) once(ctx context.Context) error {
	source, err := input.Read(m.file, m.stdin, input.MaxMovie)
	if err != nil {
		return err
	}
	if source, err = m.vars.Over(source); err != nil {
		return err
	}
	var made report
	if m.still {
		made, err = m.drawStill(ctx, source)
	} else {
		made, err = m.renderMovie(ctx, source)
	}
	if err != nil {
		return m.local.told(err)
	}
	return m.tell(made)
}

// report describes the file that was made, as --json prints it.
type report struct {
	Output   string   `json:"output"`
	Width    int      `json:"width"`
	Height   int      `json:"height"`
	Duration float64  `json:"duration,omitempty"` // length of a movie in seconds
	Size     int64    `json:"size,omitempty"`     // size of the file of a movie, in bytes
	Frame    int64    `json:"frame,omitempty"`    // number of the drawn frame, counted from 1; 0: a movie was made
	Frames   int64    `json:"frames"`
	Reused   int64    `json:"reused,omitempty"` // number of frames that were reused from an earlier run under --watch
	Warnings []string `json:"warnings"`
}

// tell prints the report. It prints to standard error when standard output carries the file itself.
func (m *maker) tell(made report) error {
	to := m.stdout
	if m.out == outStandard {
		to = m.stderr
	}
	for i, warning := range made.Warnings {
		made.Warnings[i] = m.local.plain(warning)
		if !m.asJSON {
			_, _ = fmt.Fprintln(m.stderr, "warning:", made.Warnings[i])
		}
	}
	var err error
	switch {
	case m.asJSON:
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(made)
	case m.still:
		_, err = fmt.Fprintf(to, "%s: %dx%d, frame %d of %d\n", m.out, made.Width, made.Height, made.Frame, made.Frames)
	default:
		before := ""
		if made.Reused > 0 {
			before = fmt.Sprintf(", %d of %d frames from before", made.Reused, made.Frames)
		}
		_, err = fmt.Fprintf(to, "%s: %dx%d, %.2f s, %d bytes%s\n", m.out, made.Width, made.Height, made.Duration, made.Size, before)
	}
	return err
}

// renderMovie renders one document under a progress bar, and writes the movie to the output file or to standard output.
func (m *maker) renderMovie(ctx context.Context, source []byte) (report, error) {
	bar := progress.NewBar(ctx, m.stderr, "rendering", 100)
	var reused atomic.Int64
	done, err := m.engine.Render(ctx, commands.RenderJob{
		Account:  "local",
		Project:  "local",
		Attempt:  1,
		Document: source,
		Planned:  func(context.Context, movie.Dimensions, []string) error { return nil },
		Progress: func(percent float64) { bar.Reach(int64(percent), 100) },
		Frames:   func(_, cached int64) { reused.Add(cached) },
	})
	if err == nil {
		bar.Reach(100, 100)
	}
	bar.Close()
	if err != nil {
		return report{}, err
	}
	defer done.Close()
	if m.out == outStandard {
		err = copyFile(m.stdout, done.Movie)
	} else {
		err = moveFile(done.Movie, m.out)
	}
	if err != nil {
		return report{}, fmt.Errorf("write %s: %w", m.out, err)
	}
	return report{
		Output: m.out, Width: done.Plan.Width, Height: done.Plan.Height, Frames: done.Plan.Frames,
		Duration: float64(done.Plan.Frames*done.Plan.FPSDen) / float64(done.Plan.FPSNum),
		Size:     done.File.Size, Reused: reused.Load(), Warnings: append([]string{}, done.Warnings...),
	}, nil
}

// copyFile writes the content of a file to a writer.
func copyFile(to io.Writer, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // closing a file that was only read loses nothing
	_, err = io.Copy(to, in)
	return err
}

// moveFile moves a finished file. The target is complete or absent, never half written.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	in, err := os.Open(from) // a file cannot be renamed to another file system: it is copied
	if err != nil {
		return err
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(to), ".moviola-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = io.Copy(tmp, in)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}
