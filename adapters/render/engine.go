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

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/timeline"
	"moviola/internal/oom"
	"moviola/internal/quota"
)

var _ commands.Renderer = (*Engine)(nil)

// Config is the configuration of an Engine. Dir, Tools, Fetcher and Text must be set.
type Config struct {
	Dir     string        // working files and the cache of windows; may be shared by several processes of one host
	Tools   *ffmpeg.Tools // opened with ffmpeg.Open
	Fetcher commands.Assets
	// Local turns the src of a video, image or audio element into the address that the fetcher knows it by. It lets a user of the
	// command line name files of the machine; nil, as in every service: only addresses are sources.
	Local   func(src string) (address string, err error)
	Text    TextDrawer
	Speaker commands.Speaker        // nil: voices are refused
	Words   commands.Transcriber    // nil: subtitles can be made from voices only
	Images  commands.ImageGenerator // nil: images from prompts are refused
	Pages   Pages                   // nil: html elements are refused
	Fonts   commands.FontFamilies   // nil: only installed and shipped families are used
	PageTTL time.Duration           // how long the cached picture of a page that may have changed is used; 0: 72 hours
	// SourcesTime is the time limit for all sources of a movie together; 0: 10 minutes. Decision 54.
	SourcesTime time.Duration
	// PagesTime is the time limit for all pages of a movie together, in browsers; 0: 10 minutes. Decision 72.
	PagesTime time.Duration
	// HeldPictures allows unchanged frames to be written as repeats of the previous one, without encoding them.
	HeldPictures bool
	// Encoder encodes the windows of movies; the zero value is x264 of the tools. Decision 87.
	Encoder  ffmpeg.Encoder
	Cores    int // processors to use; 0: all
	MemoryMB int // memory for all encoders together, in MB; 0: as much as the processors can use
	// CacheBytes is the size to which Sweep reduces the cache of rendered parts; 0: 20 GiB.
	CacheBytes int64
	// Room bounds the cached parts already when they are written; the least recently used ones are removed.
	Room quota.Limits
	Log  logrus.FieldLogger
}

// Engine makes movies. It is safe for concurrent use; all renders share one limit on processors and memory.
type Engine struct {
	cfg     Config
	limiter *ffmpeg.Limiter
	room    *quota.Folder
	pages   pageFlights

	pagesTimes pagesTimes
	plain      atomic.Bool // the encoder's streams cannot be lengthened: frames are not held any more
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
	if cfg.CacheBytes <= 0 {
		cfg.CacheBytes = defaultCacheBytes
	}
	if cfg.PagesTime <= 0 {
		cfg.PagesTime = defaultPagesTime
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
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("find render folder: %w", err)
	}
	cfg.Dir = dir
	for _, sub := range []string{"jobs", "cache", finishedFolder} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make render folder: %w", err)
		}
	}
	return &Engine{cfg: cfg, limiter: ffmpeg.NewLimiter(cfg.Cores, cfg.MemoryMB),
		room: quota.NewFolder(CacheFolder(dir), cfg.Room, linking)}, nil
}

// Render makes the movie of one attempt. See commands.Renderer.
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
	if job.Fetched != nil {
		if err := job.Fetched(ctx, r.hashes()); err != nil {
			return commands.Rendered{}, err
		}
	}
	laidOut := r.timeStage(stageLayout)
	r.findFonts(ctx, doc)
	if r.plan, err = timeline.Lay(doc, r.facts()); err != nil {
		return commands.Rendered{}, err
	}
	if err := checkLimits(r.plan); err != nil {
		return commands.Rendered{}, err
	}
	planned := movie.Plan{
		Width: r.plan.Width, Height: r.plan.Height, Frames: r.plan.Frames, FPSNum: r.plan.FPS.Num, FPSDen: r.plan.FPS.Den,
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

// collect brings the files that the movie names to the local disk.
func (r *run) collect(ctx context.Context, doc *document.Movie) (*document.Movie, error) {
	defer r.timeStage(stageSources)()
	doc, err := r.preload(ctx, doc)
	if err != nil {
		return nil, err
	}
	return r.gather(ctx, doc)
}

// The limits of every movie; plans of accounts set narrower ones.
const (
	maxSide = 3840
	minSide = 2
	maxFPS  = 120
)

func checkLimits(p *timeline.Plan) error {
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

// begin makes the folder of an attempt. It removes files of earlier attempts at the project: their workers are dead, or will lose
// their claim.
func (e *Engine) begin(job commands.RenderJob) (*run, error) {
	project, err := hashOf(job.Project) // the id is hashed because it may contain any character
	if err != nil {
		return nil, err
	}
	parent := filepath.Join(e.cfg.Dir, "jobs", project[:32])
	if err := e.removeEarlier(parent, job.Attempt); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of %s: %w", job.Project, err)
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%06d-", job.Attempt))
	if err != nil {
		return nil, fmt.Errorf("make folder of %s: %w", job.Project, err)
	}
	alive, err := markAlive(dir)
	if err != nil {
		return nil, fmt.Errorf("lock folder of %s: %w", job.Project, err)
	}
	r := &run{
		engine: e, encoder: e.cfg.Encoder, job: job, parent: parent, dir: dir, alive: alive,
		in: filepath.Join(dir, "in"), parts: filepath.Join(dir, "parts"),
		pieces:  pieces{dir: Folder(e.cfg.Dir, job.Account), room: e.room},
		log:     e.cfg.Log.WithField("project", job.Project),
		began:   time.Now(),
		sources: map[string]source{}, warned: map[string]bool{},
		progress: progress{report: job.Progress, now: time.Now},
	}
	for _, sub := range []string{r.in, r.parts} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return nil, fmt.Errorf("make folder of %s: %w", job.Project, err)
		}
	}
	return r, nil
}

func (e *Engine) removeEarlier(parent string, attempt int) error {
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for earlier attempts: %w", err)
	}
	for _, entry := range entries {
		var n int
		if _, err := fmt.Sscanf(entry.Name(), "%06d-", &n); err != nil || n >= attempt {
			continue
		}
		if err := os.RemoveAll(filepath.Join(parent, entry.Name())); err != nil {
			return fmt.Errorf("remove what attempt %d has left: %w", n, err)
		}
	}
	return nil
}
