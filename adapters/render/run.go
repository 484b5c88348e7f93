package render

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
	"moviola/domain/timeline"
)

// run is one attempt at one movie, preload item or preview. It has a folder with these folders in it: in (sources and
// drawn layers), parts (the sound, finished windows and what was found in the cache), and others for processes of ffmpeg.
// A process of ffmpeg usually may read only the folder in, and may write only its own folder. A run that Engine.ahead
// makes only fetches files, and has no folder.
type run struct {
	engine   *Engine
	encoder  ffmpeg.Encoder // encoder of all windows of the movie
	plain    bool           // every frame is encoded, because the encoder's streams cannot be lengthened
	job      commands.RenderJob
	folder   workspace.Attempt
	dir      string // path of the attempt's folder
	in       string
	parts    string
	pieces   workspace.Parts
	log      logrus.FieldLogger
	plan     *timeline.Timeline
	sources  map[string]artwork.Source // the movie's sources, by their keys
	values   map[string]any            // variables that the results of preloads define
	stills   artwork.Drawer
	progress progress
	began    time.Time

	mixed      sync.Once
	soundPath  string
	soundLevel *movie.Loudness // loudness of the mixed sound, once it is made; nil: the sound is silent or not made yet
	soundErr   error
	heardOnce  sync.Once
	loudness   *artwork.Envelope
	heardErr   error
	lapsed     <-chan struct{} // closed when the render must stop waiting for sources, because its slot is wanted
	begun      atomic.Bool     // a window has been rendered, or is being rendered, in this attempt
	gaveWay    atomic.Bool     // windows, pages or preload items were left to a later attempt

	words artwork.TextDrawer // draws texts with the movie's own fonts too; nil before openWords
	fonts commands.Fonts     // fetched fonts of families that the movie names

	sketch *artwork.Sketch // nil: the movie is made, not previewed

	mu       sync.Mutex
	warnings []string
	warned   map[string]bool
}

// close removes the working files. The cache of windows stays.
func (r *run) close() {
	if err := r.folder.Close(); err != nil {
		r.log.WithError(err).Warn("working files of a render not removed: a later sweep tries again")
	}
}

// warn adds warnings about problems that do not stop the render, each text once.
func (r *run) warn(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range texts {
		if !r.warned[text] {
			r.warned[text] = true
			r.warnings = append(r.warnings, text)
		}
	}
}

// make renders the movie of the timeline r.plan.
func (r *run) make(ctx context.Context, planned movie.Dimensions) (commands.Rendered, error) {
	ass, err := r.caption(ctx)
	if err != nil {
		return commands.Rendered{}, err
	}
	lapsed, end := r.lapse()
	defer end()
	r.stills.Pages.Share(lapsed, &r.gaveWay)
	hardware := r.encoder.Hardware()
	p, err := r.partsOf()
	if err != nil {
		return commands.Rendered{}, err
	}
	mattes, err := r.mattesOf(p)
	if err != nil {
		return commands.Rendered{}, err
	}
	path, file, err := r.whole(ctx, p)
	// The software encoder has replaced the hardware encoder: the keys of windows and thumbnail change.
	if err == nil && hardware && !r.encoder.Hardware() {
		p, err = r.partsOf()
	}
	if err != nil {
		return commands.Rendered{}, err
	}
	r.warn(tooLoud(file.Loudness)...)
	thumbnail, err := r.thumbnail(ctx, p.teaser, path)
	if err != nil {
		return commands.Rendered{}, err
	}
	matte, err := r.matte(ctx, mattes)
	if err != nil {
		return commands.Rendered{}, err
	}
	r.progress.end()
	return commands.Rendered{
		Plan: planned, File: file, Movie: path, Matte: matte, Thumbnail: thumbnail, Still: r.plan.ThumbnailFrame, Subtitles: ass,
		Warnings: r.warnings, Close: r.close,
	}, nil
}

// clock returns the time that pages see, the same in every attempt at a movie. Without a time in the job it is that of this
// attempt's start.
func (r *run) clock() time.Time {
	if r.job.Now.IsZero() {
		return r.began.Truncate(time.Second)
	}
	return r.job.Now.Truncate(time.Second)
}

// findFonts fetches the font families that a movie names and that were not fetched ahead. A family that cannot be fetched is
// substituted in this movie.
func (r *run) findFonts(ctx context.Context, doc *document.Movie) {
	if r.engine.cfg.Fonts == nil {
		return
	}
	r.fonts = r.engine.cfg.Fonts.Families(ctx, document.FontWishes(doc), r.job.FetchedSince)
	for _, family := range r.fonts.Unreachable {
		r.warn(fmt.Sprintf("The font family '%.60s' could not be fetched, the font service does not answer: a similar one is used in "+
			"this movie", family))
	}
}

// openWords prepares the text drawer, with the movie's own fonts.
func (r *run) openWords() error {
	if r.words != nil {
		return nil
	}
	fonts := map[string]string{}
	for key, s := range r.sources {
		if s.Asset.Format == commands.FontFormat {
			fonts[key] = s.Path
		}
	}
	words, err := artwork.WithFonts(r.engine.cfg.Text, fonts, r.fonts.Faces)
	if err != nil {
		return err
	}
	r.words = words
	return nil
}

// openStills prepares the drawing of layers.
func (r *run) openStills() error {
	if err := r.openWords(); err != nil {
		return err
	}
	heard, err := r.soundKey()
	if err != nil {
		return err
	}
	r.stills = artwork.Drawer{
		Dir: r.in, W: r.plan.Width, H: r.plan.Height, Rate: r.plan.FPS, Text: r.words, Sound: r.envelope, Heard: heard,
		Pages: &artwork.MoviePages{Draw: r.engine.cfg.Pages, Flights: &r.engine.pages, Project: r.job.Project, Dir: r.engine.space.Dir,
			Rate: r.plan.FPS,
			Time: r.engine.pagesTimes.Of(r.job.Project, r.engine.cfg.PagesTime), Now: r.clock(), Sketch: r.sketch,
			Kept: artwork.PageStills{Kept: r.pieces, Dir: r.dir, Until: r.began.Add(r.engine.cfg.PageTTL), Log: r.log}},
		Source: func(key string) artwork.Source { return r.sources[key] },
	}
	return nil
}

// encode renders windows and sound in parallel, within the engine's limit. Equal windows are rendered once. If windows
// show the sound, it is made before them. encode returns commands.ErrGiveWay when windows are left to a later attempt,
// because another account waits. Windows that were begun are finished and kept, unless they wait for a page.
func (r *run) encode(ctx context.Context, p parts) ([]rendered, string, error) {
	windows, keys := p.windows, p.keys
	first := map[string]int{} // index of the first of equal windows, by their key
	for i, key := range keys {
		if _, ok := first[key]; !ok {
			first[key] = i
			if !p.matte { // the frames of a matte's windows are counted by mattesOf
				r.progress.total += windows[i].Frames
			}
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.engine.cfg.Cores + 1)
	var sound string
	mix := func() (err error) {
		sound, err = r.sound(ctx)
		return err
	}
	if slices.ContainsFunc(windows, showsSound) {
		// Windows that show the sound would wait for it while they occupy the encoders: it is mixed before them.
		if err := mix(); err != nil {
			return nil, "", err
		}
	} else {
		group.Go(mix)
	}
	q := &queue{}
	byKey := map[string]*ticket{}
	for i, key := range keys {
		if first[key] == i {
			byKey[key] = r.ticket(key, windows[i], p)
			q.open = append(q.open, byKey[key])
		}
	}
	for _, t := range slices.Clone(q.open) {
		group.Go(func() error { return r.window(ctx, q, t) })
	}
	if err := group.Wait(); err != nil {
		return nil, "", err
	}
	if r.gaveWay.Load() {
		return nil, "", commands.ErrGiveWay
	}
	all := make([]rendered, len(windows))
	for i, key := range keys {
		all[i] = rendered{window: windows[i], path: byKey[key].path, piece: byKey[key].piece}
	}
	return all, sound, nil
}
