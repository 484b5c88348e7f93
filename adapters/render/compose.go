package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// composer builds the filter graph of one window.
type composer struct {
	*run
	*graph
	frames   int64
	warnings []string
}

// compose builds the filter graph of a window, for those of its frames that are encoded.
func (r *run) compose(ctx context.Context, w timeline.Window, frames rests) (*graph, []string, error) {
	g := &graph{w: r.plan.Width, h: r.plan.Height, rate: r.plan.FPS}
	warnings, err := r.composeInto(ctx, g, w, frames)
	return g, warnings, err
}

func (r *run) composeInto(ctx context.Context, g *graph, w timeline.Window, frames rests) ([]string, error) {
	c := &composer{run: r, graph: g, frames: w.Frames}
	c.pick, c.taken = frames.selected(), frames.pick
	c.picked = c.pick != ""
	err := c.window(ctx, w)
	return c.warnings, err
}

func (c *composer) window(ctx context.Context, w timeline.Window) error {
	if w.Pieces != nil {
		return c.pieces(ctx, w.Pieces)
	}
	if w.Transition == nil {
		return c.scene(ctx, w.Background, w.Layers)
	}
	if err := c.transition(ctx, w); err != nil {
		return err
	}
	return c.pile(ctx, w.Transition.Over)
}

// scene composites layers over a background, beginning at the lowest layer that is visible.
func (c *composer) scene(ctx context.Context, background timeline.Color, layers []timeline.Layer) error {
	c.top = ""
	for i := len(layers) - 1; i >= 0 && c.top == ""; i-- {
		covered, err := c.cover(ctx, layers[i])
		if err != nil {
			return err
		}
		if covered {
			layers = layers[i+1:]
		}
	}
	if c.top == "" {
		n, err := c.flatten(ctx, background, layers)
		if err != nil {
			return err
		}
		layers = layers[n:]
	}
	return c.pile(ctx, layers)
}

// discard removes the pictures that were made for one run of ffmpeg only: the backgrounds and masks of windows. What cannot
// be removed goes with the folder of the attempt.
func (r *run) discard(inputs []ffmpeg.Input) {
	for _, in := range inputs {
		if in.Temporary {
			_ = os.Remove(in.Path)
		}
	}
}

// cover begins the composition with a layer, if it hides everything below it and ffmpeg can draw it better than Go.
func (c *composer) cover(ctx context.Context, l timeline.Layer) (bool, error) {
	if l.From > 0 || l.To < c.frames || fades(l) {
		return false, nil
	}
	if c.filmed(l) {
		if c.covers(l, c.sources[l.Source], c.frames) {
			return true, c.video(ctx, l)
		}
		return false, nil
	}
	if l.Effects == nil || l.Effects.Motion == nil {
		return false, nil
	}
	moving, err := c.stills.Moves(ctx, l)
	if err != nil || !moving {
		return false, err
	}
	a, err := c.stills.Open(ctx, l)
	if err != nil {
		return false, err
	}
	p, ok := a.(*artwork.Posed)
	if !ok {
		return false, nil
	}
	if hides, err := p.Opaque(ctx); err != nil || !hides {
		return false, err
	}
	s := c.streamOf(p, l)
	s.region, s.opaque = image.Rect(0, 0, c.w, c.h), true
	c.top = c.stream(s, 0, c.frames)
	return true, nil
}

// filmed reports whether a layer shows a video, or an animated picture.
func (r *run) filmed(l timeline.Layer) bool {
	return l.Source != "" && r.sources[l.Source].Asset.Media != nil && r.sources[l.Source].Asset.Media.Video != nil
}

// pile composites layers over the current result.
func (c *composer) pile(ctx context.Context, layers []timeline.Layer) error {
	for _, l := range layers {
		if err := c.lay(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (c *composer) lay(ctx context.Context, l timeline.Layer) error {
	if c.filmed(l) {
		return c.video(ctx, l)
	}
	if maskedByVideo(l) && l.Effects.Rotation != nil {
		return c.layTurned(ctx, l)
	}
	moving, err := c.stills.Moves(ctx, l)
	if err != nil {
		return err
	}
	if moving {
		return c.act(ctx, l)
	}
	drawn, err := c.stills.Get(ctx, l)
	if err != nil {
		return err
	}
	c.warnings = append(c.warnings, drawn.Warnings...)
	switch {
	case drawn.Layer.Empty():
	case maskedByVideo(l):
		s := &picture.Layer{X: drawn.Layer.X, Y: drawn.Layer.Y, W: drawn.Layer.W, H: drawn.Layer.H}
		from := c.label()
		c.chain(pad(c.rawInput(drawn.Path, s), 0), repeated(l.To-l.From, 0), from)
		c.layMasked(l, from, image.Rect(s.X, s.Y, s.X+s.W, s.Y+s.H))
	default:
		c.still(drawn.Path, &drawn.Layer, l)
	}
	return nil
}

// act composites a moving layer over the current result. The frames of the layer are drawn, up to the one at which it
// stops moving, while ffmpeg reads them. Those of a layer that does not travel may be drawn beforehand (newStream).
func (c *composer) act(ctx context.Context, l timeline.Layer) error {
	a, err := c.stills.Open(ctx, l)
	if err != nil {
		return err
	}
	c.warnings = append(c.warnings, artwork.WarningsOf(a)...)
	s := c.streamOf(a, l)
	if p, ok := a.(*artwork.Posed); ok && p.Travels() {
		if s.region, err = p.Region(ctx); err != nil {
			return err
		}
	} else if s, err = newStream(ctx, s.frames, c.w, c.h, s.draw); err != nil {
		return err
	}
	if s.region.Empty() {
		return nil
	}
	if maskedByVideo(l) {
		c.layMasked(l, c.stream(s, 0, l.To-l.From), s.region)
		return nil
	}
	from := c.stream(s, l.From, l.To-l.From)
	ends := "repeat"
	if fades(l) {
		faded := c.label()
		c.chain(from, append([]string{number(l.Phase)}, c.fade(l)...), faded)
		from, ends = faded, "pass"
	}
	c.overlay(from, s.region.Min, ends, l)
	return nil
}

// streamOf returns the frames in which the window shows the layer l, as the actor a draws them. They end at the latest
// with the frame after which the layer does not change any more.
func (c *composer) streamOf(a artwork.Actor, l timeline.Layer) *stream {
	return &stream{
		frames: min(l.To-l.From, a.Settled()-l.Phase+1),
		draw: func(ctx context.Context, n int64) (*picture.Layer, error) {
			return a.Draw(ctx, l.Phase+n)
		},
	}
}

// stream adds frames as an input, and returns the label of a stream of the given number of frames, numbered from first; the last
// drawn frame is repeated.
func (g *graph) stream(s *stream, first, frames int64) string {
	in := g.input(ffmpeg.Input{Format: "rawvideo", Feed: s.feed, Raw: &ffmpeg.Raw{
		PixelFormat: s.pixelFormat(), Width: s.region.Dx(), Height: s.region.Dy(), Rate: g.rate,
	}})
	filters := []string{number(first)}
	if s.frames < frames {
		filters = []string{"tpad=stop_mode=clone:stop=-1", endFrame(frames), number(first)}
	}
	to := g.label()
	g.chain(pad(in, 0), filters, to)
	return to
}

// unchanging counts the layers, from the lowest one up, that look the same in every frame of the window.
func (c *composer) unchanging(ctx context.Context, layers []timeline.Layer) (int, error) {
	for i, l := range layers {
		if c.filmed(l) || l.From > 0 || l.To < c.frames || fades(l) || maskedByVideo(l) {
			return i, nil
		}
		if moving, err := c.stills.Moves(ctx, l); moving || err != nil {
			return i, err
		}
	}
	return len(layers), nil
}

// flatten draws the background and the lowest unchanging layers into one picture, and returns the number of these layers.
func (c *composer) flatten(ctx context.Context, background timeline.Color, layers []timeline.Layer) (int, error) {
	n, err := c.unchanging(ctx, layers)
	if err != nil {
		return 0, err
	}
	frame := c.stills.Memory.NewFrame(c.w, c.h, background.R, background.G, background.B)
	for _, l := range layers[:n] {
		drawn, err := c.stills.Get(ctx, l)
		if err != nil {
			return 0, err
		}
		c.warnings = append(c.warnings, drawn.Warnings...)
		if drawn.Layer.Empty() {
			continue
		}
		layer, err := drawn.Open()
		if err != nil {
			return 0, err
		}
		frame.Draw(layer)
	}
	f, err := os.CreateTemp(c.in, "base-*.yuv")
	if err != nil {
		return 0, fmt.Errorf("write background: %w", err)
	}
	_, err = f.Write(frame.Pix)
	c.stills.Memory.ReleaseFrame(frame)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, fmt.Errorf("write background: %w", err)
	}
	c.base(f.Name(), c.frames)
	return n, nil
}
