package render

import (
	"context"
	"fmt"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// transition composes a window in which one scene replaces another: both scenes as complete pictures, and the change between
// them.
func (c *composer) transition(ctx context.Context, w timeline.Window) error {
	t := w.Transition
	if t.Style != "fade" && c.frames > 1 { // the filter xfade counts the frames it receives, so frames are selected only after it
		pick := c.pick
		c.pick = ""
		defer func() { c.pick = pick }()
	}
	if err := c.scene(ctx, t.Background, t.Layers); err != nil {
		return err
	}
	if c.frames == 1 && t.Style != "fade" {
		// The only frame of this transition shows the leaving scene alone, which is composed already. Nothing is added to
		// it. The filter xfade could not make the frame: xfade needs the filter fps before it, and fps drops the last frame
		// of some streams, which is the only frame here.
		return nil
	}
	leaving := c.top
	if err := c.scene(ctx, w.Background, w.Layers); err != nil {
		return err
	}
	entering := c.top
	if t.Style == "fade" {
		c.crossfade(leaving, entering)
		return nil
	}
	c.top = c.label()
	same := func(from string) string {
		to := c.label()
		// The filter fps drops the last frame of some streams. Copies of the last frame that it passes take the place of
		// the dropped one.
		c.chain(from, []string{"format=yuv444p", "setsar=1", "settb=AVTB", c.graph.regular(), "tpad=stop_mode=clone:stop=2"}, to)
		return to
	}
	c.chain(same(leaving)+"]["+same(entering),
		[]string{fmt.Sprintf("xfade=transition=%s:duration=%s:offset=0", t.Style, c.seconds(float64(c.frames))),
			fmt.Sprintf("trim=end_frame=%d", c.frames), number(0)}, c.top)
	return nil
}

// regular marks a stream as one of constant frame rate, which xfade requires.
func (g *graph) regular() string { return "fps=fps=" + ffmpeg.FormatRate(g.rate) }

// crossfade is the style fade, at a third of the cost of xfade: it blends in place, without scaling chroma to full size.
func (c *composer) crossfade(leaving, entering string) {
	faded := c.label()
	c.chain(entering, []string{"format=yuva420p", number(0), fmt.Sprintf("fade=t=in:s=0:n=%d:alpha=1", c.frames)}, faded)
	c.top = c.label()
	c.chain(leaving+"]["+faded, []string{"overlay=format=yuv420"}, c.top)
}
