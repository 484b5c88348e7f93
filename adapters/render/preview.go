package render

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/commands/previews"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

var _ previews.Drawer = (*Engine)(nil)

// Stills draws single frames of a movie with the code that renders it. See previews.Drawer.
func (e *Engine) Stills(ctx context.Context, job previews.Job) (previews.Drawn, error) {
	doc, err := document.Parse(job.Document)
	if err == nil {
		err = document.Validate(doc)
	}
	if err != nil {
		return previews.Drawn{}, err
	}
	r, err := e.begin(commands.RenderJob{
		Account: job.Account, Project: domain.ProjectID("preview-" + rand.Text()), Attempt: 1, Now: job.Now,
	})
	if err != nil {
		return previews.Drawn{}, err
	}
	defer r.close()
	r.sketch = &artwork.Sketch{Fetch: job.Fetch, W: sketchSide(doc.Width), H: sketchSide(doc.Height)}
	if err := r.lay(ctx, doc); err != nil {
		return previews.Drawn{}, err
	}
	out := previews.Drawn{
		Width: r.plan.Width, Height: r.plan.Height, Frames: r.plan.Frames, Seconds: r.plan.FPS.Seconds(r.plan.Frames).Float(),
	}
	frames := r.framesOf(job.Moments)
	windows := windowsOf(r.plan)
	for _, frame := range frames {
		img, err := r.moment(ctx, windows, frame, job.MaxSide)
		if err != nil {
			return previews.Drawn{}, err
		}
		out.Pictures = append(out.Pictures, previews.Picture{Seconds: r.plan.FPS.Seconds(frame).Float(), Frame: frame, Image: img})
	}
	out.Warnings, out.Missing = r.warnings, r.sketch.NotShown()
	return out, nil
}

// sketchSide limits a side of the canvas to the allowed range.
func sketchSide(side int) int { return max(minSide, min(side, maxSide)) }

// lay lays out the movie of a preview, with the sources that are available.
func (r *run) lay(ctx context.Context, doc *document.Movie) error {
	doc, err := r.unmade(doc)
	if err != nil {
		return err
	}
	if doc, err = r.fetchSources(ctx, doc); err != nil {
		return err
	}
	wishes := document.FontWishes(doc)
	if fonts := r.engine.cfg.Fonts; fonts != nil && !r.sketch.Fetch && !fonts.Kept(ctx, wishes) {
		r.warn("Some fonts are not loaded yet: similar ones are used in this preview")
	} else {
		r.findFonts(ctx, doc)
	}
	if r.plan, err = timeline.Lay(doc, r.facts()); err != nil {
		return err
	}
	if err := checkLimits(r.plan); err != nil {
		return err
	}
	r.warn(r.plan.Warnings...)
	r.plan.Audio = slices.DeleteFunc(r.plan.Audio, func(c timeline.Clip) bool { return r.sketch.Lacks(c.Source) })
	for i := range r.plan.Windows {
		w := &r.plan.Windows[i]
		r.pretend(w.Layers)
		if w.Transition != nil {
			r.pretend(w.Transition.Layers)
			r.pretend(w.Transition.Over)
		}
	}
	if _, err := r.caption(ctx); err != nil {
		return err
	}
	return r.openStills()
}

// pretend replaces videos that have a placeholder by pictures, both shown videos and videos that are masks.
func (r *run) pretend(layers []timeline.Layer) {
	for i := range layers {
		l := &layers[i]
		if l.Kind == timeline.VideoLayer && r.sketch.Lacks(l.Source) {
			l.Kind, l.Seek, l.Loop, l.Plays = timeline.ImageLayer, 0, 0, 0
		}
		if l.Effects != nil && l.Effects.Mask != nil && l.Effects.Mask.Video && r.sketch.Lacks(l.Effects.Mask.Source) {
			effects, mask := *l.Effects, *l.Effects.Mask
			mask.Video = false
			effects.Mask = &mask
			l.Effects = &effects
		}
	}
}

// unmade fills in made-up results of the movie's preload: addresses without content.
func (r *run) unmade(doc *document.Movie) (*document.Movie, error) {
	if len(doc.Preload) == 0 {
		return doc, nil
	}
	r.values = map[string]any{}
	for _, item := range doc.Preload {
		address := artwork.MadeUp(item.ID)
		for name, value := range document.PreloadValues(item.ID, address, address, sketchSeconds, r.sketch.W, r.sketch.H) {
			r.values[name] = value
		}
	}
	doc, err := doc.Resolve(document.Known{Natural: r.natural, Values: r.values})
	if err != nil {
		return nil, err
	}
	return doc, document.Validate(doc)
}

// framesOf returns the frames at the given times in seconds; times after the end mean the last frame. Without times it
// returns the frame of the thumbnail.
func (r *run) framesOf(moments []float64) []int64 {
	if len(moments) == 0 {
		return []int64{r.plan.ThumbnailFrame}
	}
	frames := make([]int64, len(moments))
	for i, t := range moments {
		n := math.Floor(t*float64(r.plan.FPS.Num)/float64(r.plan.FPS.Den) + 1e-6)
		frames[i] = int64(max(0, min(n, float64(r.plan.Frames-1))))
	}
	return frames
}

// moment composes one frame of the movie as a picture whose longer side is at most maxSide pixels.
func (r *run) moment(ctx context.Context, windows []timeline.Window, frame int64, maxSide int) (image.Image, error) {
	at := slices.IndexFunc(windows, func(w timeline.Window) bool { return frame >= w.Start && frame < w.Start+w.Frames })
	if at < 0 {
		return nil, fmt.Errorf("frame %d is in none of the windows", frame)
	}
	w, n := narrowed(windows[at], frame-windows[at].Start)
	width, height := artwork.Fit(r.plan.Width, r.plan.Height, maxSide)
	drawn, ok, err := r.drawn(ctx, w)
	if err != nil {
		return nil, err
	}
	var img *image.NRGBA
	if ok {
		img = drawn.Scaled(width, height).Image()
	} else if img, err = r.filtered(ctx, w, n, width, height); err != nil {
		return nil, err
	}
	return img, artwork.MarkPreview(r.engine.cfg.Text, img)
}

// filtered composes frame n of a window by ffmpeg.
func (r *run) filtered(ctx context.Context, w timeline.Window, n int64, width, height int) (*image.NRGBA, error) {
	g, warnings, err := r.compose(ctx, w, only(n))
	if err != nil {
		return nil, err
	}
	r.warn(warnings...)
	dir, err := os.MkdirTemp(r.dir, "moment-")
	if err != nil {
		return nil, fmt.Errorf("make folder of a moment: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	to := g.label()
	g.chain(g.finish(only(n)), []string{
		fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic+accurate_rnd+full_chroma_int:in_color_matrix=bt709:in_range=tv:out_range=pc",
			width, height), "format=rgba",
	}, to)
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: g.inputs, Graph: g.script(), Dir: dir, Read: []string{r.in},
		Output: []string{"-map", "[" + to + "]", "-frames:v", "1", "-c:v", "rawvideo", "-f", "rawvideo", "moment.rgba"},
	})
	if err != nil {
		return nil, r.atFault(ctx, fmt.Errorf("compose frame %d: %w", w.Start+n, err), r.picturesOf(w))
	}
	pix, err := os.ReadFile(filepath.Join(dir, "moment.rgba"))
	if err == nil && len(pix) != 4*width*height {
		err = errors.New("it is not as large as it should be")
	}
	if err != nil {
		return nil, r.tooShort(ctx, fmt.Errorf("read composed frame %d: %w", w.Start+n, err), r.picturesOf(w))
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}, nil
}

// narrowed reduces a window to one frame, so that no other frames are composed. A transition is returned as it is. n is
// the number of the frame in the returned window.
func narrowed(w timeline.Window, frame int64) (narrow timeline.Window, n int64) {
	if w.Transition != nil {
		return w, frame
	}
	layers := make([]timeline.Layer, 0, len(w.Layers))
	for _, l := range w.Layers {
		if frame < l.From || frame >= l.To {
			continue
		}
		l.Phase += frame - l.From
		l.From, l.To = 0, 1
		layers = append(layers, l)
	}
	w.Start, w.Frames, w.Layers = w.Start+frame, 1, layers
	return w, 0
}
