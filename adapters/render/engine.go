package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/timeline"
	"moviola/internal/oom"
)

// Config is the configuration of an Engine. Dir, Tools, Fetcher and Text must be set.
type Config struct {
	Dir     string        // working files and the cache of windows; may be shared by several processes of one host
	Tools   *ffmpeg.Tools // ffmpeg and ffprobe, opened with ffmpeg.Open
	Fetcher Assets
	// Local returns the address by which the fetcher knows a file of this machine, for the src of a video, image or audio element.
	// It is set for the commands that render files of the user's machine. nil, as in every service: a src is an address.
	Local   func(src string) (address string, err error)
	Text    artwork.TextDrawer
	Speaker Speaker        // makes speech; nil: voices are refused
	Words   Transcriber    // transcribes sound; nil: subtitles need captions or voices
	Images  ImageGenerator // generates pictures; nil: images from prompts are refused
	Pages   artwork.Pages  // draws html elements; nil: html elements are refused
	Fonts   FontFamilies   // fetches font families; nil: only installed and shipped ones are used
	PageTTL time.Duration  // how long the cached picture of a page that may have changed is used; 0: 72 hours
	// SourcesTime is the time limit for all sources of a movie together; 0: 10 minutes. Decision 54.
	SourcesTime time.Duration
	// PagesTime is the time limit for all pages of a movie together, in browsers; 0: 10 minutes. Decision 72.
	PagesTime time.Duration
	// HeldPictures allows unchanged frames to be written as repeats of the previous one, without encoding them.
	HeldPictures bool
	// Encoder encodes the windows of movies; the zero value is x264 of the tools. Decision 87.
	Encoder  ffmpeg.Encoder
	Cores    int // number of processors to use; 0: all
	MemoryMB int // memory for all encoders together, in MB; 0: as much as the processors can use
	// Kept bounds the cache of rendered parts.
	Kept workspace.Bounds
	Log  logrus.FieldLogger
}

// Engine makes movies. It is safe for concurrent use; all renders share one limit on processors and memory.
type Engine struct {
	cfg     Config
	limiter *ffmpeg.Limiter
	space   *workspace.Space
	pages   artwork.PageFlights

	pagesTimes artwork.PagesTimes
	// decodeStall and decodeLimit are the time limits of the search for a damaged source: the constants with these names, unless a
	// test shortens them.
	decodeStall, decodeLimit time.Duration

	plain atomic.Bool // set when the encoder's streams cannot be lengthened: runs that begin later encode every frame
}

// defaultPageTTL is the time to live of cached pictures of pages, the same as that of assets.
const defaultPageTTL = 72 * time.Hour

// New returns an Engine that works in cfg.Dir, which it creates.
func New(cfg Config) (*Engine, error) {
	if cfg.Dir == "" || cfg.Tools == nil || cfg.Fetcher == nil || cfg.Text == nil {
		return nil, errors.New("the render engine needs a folder, ffmpeg, a fetcher and a text drawer")
	}
	if cfg.Cores <= 0 {
		cfg.Cores = runtime.NumCPU()
	}
	if cfg.PagesTime <= 0 {
		cfg.PagesTime = artwork.DefaultPagesTime
	}
	if cfg.PageTTL <= 0 {
		cfg.PageTTL = defaultPageTTL
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	if !cfg.Encoder.Hardware() {
		cfg.Encoder = cfg.Tools.Software()
	}
	space, err := workspace.Open(cfg.Dir, cfg.Kept)
	if err != nil {
		return nil, err
	}
	return &Engine{
		cfg: cfg, space: space, limiter: ffmpeg.NewLimiter(cfg.Cores, cfg.MemoryMB), decodeStall: decodeStall, decodeLimit: decodeLimit,
	}, nil
}

// Space is the engine's folder on the disk.
func (e *Engine) Space() *workspace.Space { return e.space }

// Finished returns the number of windows of a movie that this host has finished. See processors.Renderer.
func (e *Engine) Finished(project domain.ProjectID) int { return e.space.Finished(project) }

// Render makes the movie of one attempt. See processors.Renderer.
func (e *Engine) Render(ctx context.Context, job commands.RenderJob) (commands.Rendered, error) {
	before := oom.Read()
	out, err := e.render(ctx, job)
	return out, outOfMemory(ctx, before, err)
}

func (e *Engine) render(ctx context.Context, job commands.RenderJob) (out commands.Rendered, err error) {
	doc, err := document.Parse(job.Document)
	if err != nil {
		return commands.Rendered{}, err
	}
	if err := document.Validate(doc); err != nil {
		return commands.Rendered{}, err
	}
	r, err := e.begin(job)
	if err != nil {
		return commands.Rendered{}, err
	}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if doc, err = r.collect(ctx, doc); err != nil {
		return commands.Rendered{}, err
	}
	laidOut := r.timeStage(stageLayout)
	r.findFonts(ctx, doc)
	if r.plan, err = timeline.Lay(doc, r.facts()); err != nil {
		return commands.Rendered{}, err
	}
	if err := checkLimits(r.plan); err != nil {
		return commands.Rendered{}, err
	}
	planned := movie.Dimensions{
		Width: r.plan.Width, Height: r.plan.Height, Frames: r.plan.Frames, FPSNum: r.plan.FPS.Num, FPSDen: r.plan.FPS.Den,
	}
	if err := r.openStills(); err != nil {
		return commands.Rendered{}, err
	}
	if err := r.equal(ctx, doc); err != nil {
		return commands.Rendered{}, err
	}
	r.warn(r.plan.Warnings...)
	if err := r.warnTexts(); err != nil {
		return commands.Rendered{}, err
	}
	laidOut()
	if job.Planned != nil {
		if err := job.Planned(ctx, planned, slices.Clone(r.warnings)); err != nil {
			return commands.Rendered{}, err
		}
	}
	if out, err = r.make(ctx, planned); err == nil {
		r.keepMade(ctx, doc)
		out.Warnings = r.warnings
	}
	return out, err
}

// collect prepares the items of the movie's property preload and brings the files that the movie names to the local disk.
// It returns the document, with those parts filled in that depend on the items or files.
func (r *run) collect(ctx context.Context, doc *document.Movie) (*document.Movie, error) {
	defer r.timeStage(stageSources)()
	doc, err := r.preload(ctx, doc)
	if err != nil {
		return nil, err
	}
	return r.fetchSources(ctx, doc)
}

// The limits of every movie; plans of accounts set narrower ones.
const (
	maxSide = 3840
	minSide = 2
	maxFPS  = 120
)

func checkLimits(p *timeline.Timeline) error {
	fps := float64(p.FPS.Num) / float64(p.FPS.Den)
	switch {
	case p.Width > maxSide || p.Height > maxSide || p.Width < minSide || p.Height < minSide:
		return tooMuch("The movie is %d × %d pixels: width and height must be between %d and %d", p.Width, p.Height, minSide, maxSide)
	case !(fps > 0 && fps <= maxFPS):
		return tooMuch("The movie has %g frames per second: fps must be above 0 and at most %d", fps, maxFPS)
	}
	return nil
}

func tooMuch(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, "movie_limits", format, args...)
}

// begin makes the folder of an attempt.
func (e *Engine) begin(job commands.RenderJob) (*run, error) {
	folder, err := e.space.Begin(job.Project, job.Attempt)
	if err != nil {
		return nil, err
	}
	r := &run{
		engine: e, encoder: e.cfg.Encoder, plain: e.plain.Load(), job: job, folder: folder, dir: folder.Dir,
		in: filepath.Join(folder.Dir, "in"), parts: filepath.Join(folder.Dir, "parts"),
		pieces:  e.space.Parts(job.Account),
		log:     e.cfg.Log.WithField("project", job.Project),
		began:   time.Now(),
		sources: map[string]artwork.Source{}, warned: map[string]bool{},
		progress: progress{report: job.Progress, now: time.Now},
	}
	for _, sub := range []string{r.in, r.parts} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make folder of %s: %w", job.Project, err), folder.Close())
		}
	}
	return r, nil
}
