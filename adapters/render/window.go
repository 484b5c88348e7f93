package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
	"moviola/adapters/render/workspace"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/h264"
)

// version is part of every cache key: increase it when the same timeline gives other pictures or sounds than before.
const version = "15"

// windowsOf returns the windows of the timeline plan as they are drawn: audiograms get their start in the movie, and every frame
// of a draft is marked (decision 37).
func windowsOf(plan *timeline.Timeline) []timeline.Window {
	windows := slices.Clone(plan.Windows)
	for i := range windows {
		w := &windows[i]
		start := func(layers []timeline.Layer) []timeline.Layer {
			layers = slices.Clone(layers)
			for i := range layers {
				if l := &layers[i]; l.Kind == timeline.AudiogramLayer {
					l.Seek = plan.FPS.Seconds(w.Start + l.From - l.Phase).Float()
				}
			}
			return layers
		}
		w.Layers = start(w.Layers)
		if w.Transition != nil {
			t := *w.Transition
			t.Layers, t.Over = start(t.Layers), start(t.Over)
			w.Transition = &t
		}
		if !plan.Draft {
			continue
		}
		mark := watermark(plan, w.Frames)
		if w.Transition != nil {
			w.Transition.Over = append(w.Transition.Over, mark)
		} else {
			w.Layers = append(w.Layers, mark)
		}
	}
	return windows
}

func watermark(plan *timeline.Timeline, frames int64) timeline.Layer {
	size := float64(min(plan.Width, plan.Height)) / 5
	return timeline.Layer{
		Kind: timeline.TextLayer, Box: timeline.Box{W: plan.Width, H: plan.Height}, To: frames, Life: frames,
		Text: &timeline.Text{Text: "DRAFT", Settings: timeline.TextSettings{
			FontSize: size, FontWeight: 700, LineHeight: size, Color: timeline.Color{R: 255, G: 255, B: 255, A: 96},
			Align: timeline.AlignCenter, Horizontal: timeline.AlignCenter, Vertical: timeline.AlignMiddle,
			Shadow: &timeline.Shadow{X: size / 40, Y: size / 40, Color: timeline.Color{A: 96}},
		}},
	}
}

// showsSound reports whether a window draws the waveform of the sound.
func showsSound(w timeline.Window) bool {
	sounds := func(l timeline.Layer) bool { return l.Kind == timeline.AudiogramLayer }
	return slices.ContainsFunc(layersOf(w), sounds)
}

// windowSpec holds what affects the file of a window, but not the external content of pages and their clock. The place of
// the window in the movie is included only through audiograms, whose picture depends on it. The hash of windowSpec is the
// key of the window.
type windowSpec struct {
	Version    string
	Look       int // version of the look of components; Decision 69
	FFmpeg     string
	Width      int
	Height     int
	FPS        timeline.Rate
	Encoder    []string
	Coder      [2]string // name and version of the encoder
	Held       bool      // unchanged frames are written as repeats of the one before
	Frames     int64
	Background timeline.Color
	Layers     []timeline.Layer // layers; their Source is the hash of the content, Ref is empty
	Transition *timeline.Transition
	Pieces     []windowPiece `json:",omitempty"`
	// Matte is set only if the key is for a window of the movie's matte. It holds the backgrounds for composing the window
	// over white.
	Matte *timeline.Clear   `json:",omitempty"`
	Fonts []string          // fonts of all texts, by the hashes of their files
	Files map[string]string // hashes of files named in a layer's settings
	// Project is the id of the movie if the window must not come from the cache, except from earlier attempts at this
	// movie. The id makes the key differ from the keys of all other movies. Otherwise Project is empty.
	Project domain.ProjectID
}

// windowPiece is what one piece of a group shows, as a part of windowSpec. A group is several short windows, one after the other,
// that are encoded as one; each of them is a piece.
type windowPiece struct {
	Frames     int64
	Background timeline.Color
	Layers     []timeline.Layer
}

// windowKey returns the key of a window. matte: of the window of the movie's matte.
func (r *run) windowKey(w timeline.Window, matte bool) (string, error) {
	spec, err := r.windowSpec(w, matte)
	if err != nil {
		return "", err
	}
	return workspace.Key(spec)
}

func (r *run) windowSpec(w timeline.Window, matte bool) (windowSpec, error) {
	spec := windowSpec{
		Version: version, Look: document.Look(), FFmpeg: r.engine.cfg.Tools.Version(), Width: r.plan.Width, Height: r.plan.Height,
		FPS:     r.plan.FPS,
		Encoder: encoder(r.plan, r.coder(matte)), Held: r.held(), Frames: w.Frames, Background: w.Background,
		Coder: [2]string{r.coder(matte).Name(), r.coder(matte).Version()},
	}
	if matte {
		spec.Encoder, spec.Held, spec.Matte = matteEncoder(r.plan), false, w.Clear
	}
	if w.Fresh || len(r.fonts.Unreachable) > 0 {
		spec.Project = r.job.Project
	}
	for _, l := range layersOf(w) {
		if err := r.note(&spec, l); err != nil {
			return spec, err
		}
	}
	spec.Layers = r.named(w.Layers)
	for _, p := range w.Pieces {
		spec.Pieces = append(spec.Pieces, windowPiece{p.Frames, p.Background, r.named(p.Layers)})
	}
	if w.Transition != nil {
		spec.Transition = &timeline.Transition{
			Style: w.Transition.Style, Background: w.Transition.Background,
			Layers: r.named(w.Transition.Layers), Over: r.named(w.Transition.Over),
		}
	}
	return spec, nil
}

// named returns layers in the form that goes into cache keys: sources are named by the hashes of their content.
func (r *run) named(layers []timeline.Layer) []timeline.Layer {
	all := make([]timeline.Layer, len(layers))
	for i, l := range layers {
		all[i] = r.stills.Named(l.Canonical())
	}
	return all
}

// crf is x264's quality parameter, chosen by visual comparison. It belongs to the preset veryfast, the best compromise of speed
// and size.
func crf(q timeline.Quality) string {
	switch q {
	case timeline.Low:
		return "28"
	case timeline.High:
		return "19"
	}
	return "23"
}

// keyframeSeconds is the longest distance between key frames, where players can begin, in seconds.
const keyframeSeconds = 4

// encoder returns the encoder arguments of every window of the timeline plan: they are equal, so that windows can be joined
// without encoding.
func encoder(plan *timeline.Timeline, by ffmpeg.Encoder) []string {
	return encoderOf(plan, by, crf(plan.Quality))
}

func encoderOf(plan *timeline.Timeline, by ffmpeg.Encoder, quality string) []string {
	return append(by.Coding(quality),
		"-g", strconv.FormatInt(keyframes(plan.FPS), 10), "-flags", "+cgop",
		"-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
		// This option is set for all windows: otherwise the value of a source would get into the parameters of the stream, and windows
		// with different parameters cannot be joined.
		"-chroma_sample_location", "left",
		"-fps_mode", "cfr", "-r", ffmpeg.FormatRate(plan.FPS),
		"-map_metadata", "-1", "-fflags", "+bitexact", "-f", "mp4",
	)
}

// rendered is a rendered window as a file in the movie's folder.
type rendered struct {
	window timeline.Window
	path   string
	piece  workspace.Part
}

// window takes a window from the cache or renders it, unless the render must give up its slot. If another goroutine has
// taken the window, it waits for that one.
func (r *run) window(ctx context.Context, q *queue, t *ticket) error {
	if found, err := r.recall(q, t); found || err != nil {
		return err
	}
	if r.shares() {
		r.gaveWay.Store(true)
		return nil
	}
	waited := r.timeStage(stageWait)
	release, err := r.engine.limiter.Acquire(ctx, r.plan.Width*r.plan.Height)
	waited()
	if err != nil {
		return err
	}
	release = sync.OnceFunc(release)
	defer release()
	if r.shares() {
		r.gaveWay.Store(true)
		return nil
	}
	if !q.take(t) {
		release()
		return t.await(ctx)
	}
	r.begun.Store(true)
	made := r.timeStage(stageWindow)
	err = r.renderWindows(ctx, append([]*ticket{t}, r.company(ctx, q, t)...))
	made()
	// The attempt gives its slot back while a page is still loading. The next attempt renders the window.
	if err != nil && ctx.Err() == nil && r.gaveWay.Load() {
		return nil
	}
	return err
}

// renderWindows renders windows, several in one process where that is possible.
func (r *run) renderWindows(ctx context.Context, all []*ticket) error {
	defer func() {
		for _, t := range all {
			close(t.done)
		}
	}()
	r.renderTogether(ctx, all)
	for _, t := range all {
		if t.ended {
			continue
		}
		if err := r.renderWindow(ctx, t); err != nil {
			t.failed = err
			return err
		}
	}
	return nil
}

// renderWindow renders a window in a process of its own.
func (r *run) renderWindow(ctx context.Context, t *ticket) error {
	dir, err := os.MkdirTemp(r.dir, "window-")
	if err != nil {
		return fmt.Errorf("make folder of a window: %w", err)
	}
	made := filepath.Join(dir, windowFile)
	ways, err := r.waysOf(ctx, t)
	if err != nil {
		return err
	}
	var warnings []string
	for _, frames := range ways {
		if warnings, err = r.encodeWindow(ctx, t, frames, made); err != nil {
			return err
		}
		if !r.held() || t.matte {
			break
		}
		if err = mp4file.Lengthen(made, frames.holds); !errors.Is(err, h264.ErrUnknown) {
			break
		}
	}
	if err != nil {
		return err
	}
	return r.keepWindow(ctx, t, made, warnings)
}

const windowFile = "window.mp4"

// keepWindow moves the finished file of a window into the cache and links it at the window's path. If the window shows the
// movie's thumbnail, the thumbnail is stored in the cache too.
func (r *run) keepWindow(ctx context.Context, t *ticket, made string, warnings []string) error {
	w := t.window
	r.warn(warnings...)
	seen, err := r.trackOf(ctx, w, made, w.Frames)
	if err != nil {
		return err
	}
	t.piece = workspace.Part{Frames: seen.Samples, Setup: seen.Setup, Warnings: warnings, Until: r.ages(w)}
	if err := r.pieces.Keep(t.key, ".mp4", made, t.piece); err != nil {
		return err
	}
	if t.teaser.key != "" {
		if err := r.keepTeaser(t.teaser, filepath.Join(filepath.Dir(made), thumbnailFile)); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Rename(made, t.path), r.engine.space.Finish(r.job.Project)); err != nil {
		return err
	}
	t.count.reached(w.Frames)
	r.countFrames(w.Frames, 0)
	t.ended = true
	return nil
}

// encodeWindow encodes frames of a window. A run that stalls is repeated once with a single thread.
func (r *run) encodeWindow(ctx context.Context, t *ticket, frames rests, to string) ([]string, error) {
	w := t.window
	c := ffmpeg.Command{Dir: filepath.Dir(to), Read: []string{r.in}, Frame: func(n int64) { t.count.reached(frames.shown(n)) }}
	shared := &openings{}
	if w.Pieces != nil {
		shared = r.openingsOf([]*ticket{t})
	}
	warnings, err := r.shoot(ctx, &c, t, frames, "", shared)
	if err != nil {
		return nil, err
	}
	defer r.discard(c.Inputs)
	c.Graph = strings.Join(append(shared.chains(), c.Graph), ";\n")
	err = r.engine.cfg.Tools.Run(ctx, c)
	if errors.Is(err, ffmpeg.ErrStalled) {
		c.Output = singleThreaded(c.Output)
		err = r.engine.cfg.Tools.Run(ctx, c)
	}
	if err != nil {
		return nil, r.atFault(ctx, fmt.Errorf("render window at frame %d: %w", w.Start, err), r.picturesOf(w))
	}
	_, err = r.trackOf(ctx, w, to, frames.frames)
	return warnings, err
}

// singleThreaded returns the arguments of a window's output for an encoder with one thread. ffmpeg uses the last of equal
// options.
func singleThreaded(output []string) []string {
	return slices.Insert(slices.Clone(output), slices.Index(output, windowFile), "-threads", "1")
}

// shoot adds the inputs, filters and outputs of a window to a run of ffmpeg. The run writes the window's files to a folder of the
// window's own.
func (r *run) shoot(
	ctx context.Context, c *ffmpeg.Command, t *ticket, frames rests, folder string, shared *openings,
) ([]string, error) {
	g := &graph{w: r.plan.Width, h: r.plan.Height, rate: r.plan.FPS, first: len(c.Inputs), name: folder, shared: shared}
	warnings, err := r.composeTicket(ctx, g, t, frames)
	if err != nil {
		return nil, err
	}
	last, small := g.finish(frames), ""
	if t.teaser.key != "" {
		last, small = g.fork(last)
		small = g.thumbnail(small, frames.encoded(t.teaser.frame), r.plan)
	}
	by := r.coder(t.matte)
	if c.Encoder = by; len(by.Upload()) > 0 {
		from := last
		last = g.label()
		g.chain(from, by.Upload(), last)
	}
	c.Inputs = append(c.Inputs, g.inputs...)
	if c.Graph != "" {
		c.Graph = strings.TrimSuffix(c.Graph, "\n") + ";\n"
	}
	c.Graph += g.script()
	spare := !by.Hardware() && r.plan.Width*r.plan.Height > ffmpeg.PixelsHD
	c.Output = slices.Concat(c.Output, []string{"-map", "[" + last + "]", "-frames:v", strconv.FormatInt(frames.frames, 10)},
		r.encoderOf(t), frames.encoder(spare), []string{filepath.Join(folder, windowFile)})
	if small != "" {
		c.Output = append(c.Output, thumbnailOutput(small, folder)...)
	}
	return warnings, nil
}

// trackOf reads the header of a window and checks its number of frames.
func (r *run) trackOf(ctx context.Context, w timeline.Window, path string, frames int64) (mp4file.Track, error) {
	t, err := mp4file.ReadTrack(path)
	if err != nil {
		err = fmt.Errorf("read window at frame %d: %w", w.Start, err)
	} else if t.Samples != frames {
		err = fmt.Errorf("window at frame %d has %d frames instead of %d", w.Start, t.Samples, frames)
	}
	if err != nil {
		return mp4file.Track{}, r.tooShort(ctx, err, r.picturesOf(w))
	}
	return t, nil
}
