package render

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

const (
	// groupSeconds is the largest length in seconds of a group: short neighbouring windows that are encoded as one window.
	// If one of the windows changes, the whole group is rendered anew.
	groupSeconds = 4
	// mostGrouped is the largest number of frames in a group: short neighbouring windows that are encoded as one window.
	// Frames of a source that are decoded for a later window of the group wait in memory.
	mostGrouped = 128
	// mostPieces is the largest number of pieces in a group. The pieces are short neighbouring windows that are encoded as
	// one window, the group. Each piece can need an input of its own.
	mostPieces = 16
)

// grouped joins short neighbouring windows, because starting an encoder for each of them would cost more than encoding
// them (ADR 059). Movies with more than ffmpeg.PixelsHD pixels in a frame keep their windows. Which windows grouped joins
// depends on the timeline and its sources only, so that a group's key says all that its file depends on.
func (r *run) grouped(all []timeline.Window) []timeline.Window {
	if r.plan.Width*r.plan.Height > ffmpeg.PixelsHD {
		return all
	}
	most := min(mostGrouped, int64(groupSeconds*float64(r.plan.FPS.Num)/float64(r.plan.FPS.Den)))
	var out []timeline.Window
	for from := 0; from < len(all); {
		to, frames := from, int64(0)
		for to < len(all) && to-from < mostPieces && frames+all[to].Frames <= most && r.groups(all[to], all[from].Fresh) {
			frames, to = frames+all[to].Frames, to+1
		}
		if to-from < 2 {
			out, from = append(out, all[from]), from+1
			continue
		}
		out = append(out, timeline.Window{
			Scene: all[from].Scene, Start: all[from].Start, Frames: frames, Fresh: all[from].Fresh, Pieces: slices.Clone(all[from:to]),
		})
		from = to
	}
	return out
}

// groups reports whether the window w can be encoded together with neighbouring windows as one window, a group. fresh is
// the field Fresh of these neighbours, and w.Fresh must be the same. w must be short and opaque, and must not be a
// transition. A video or animated picture must be shown in w from the first frame to the last, so that hardly any frame
// could be written as a repeat of the one before. w must show no page, because a page would have to be waited for.
func (r *run) groups(w timeline.Window, fresh bool) bool {
	if w.Frames > fewFrames || w.Transition != nil || w.Clear != nil || w.Fresh != fresh {
		return false
	}
	moves := false
	for _, l := range w.Layers {
		if l.Kind == timeline.HTMLLayer {
			return false
		}
		moves = moves || r.filmed(l) && l.From <= 0 && l.To >= w.Frames
	}
	return moves
}

// pieces composites the windows in all, one after the other. They are the pieces of a group, which is encoded as one
// window.
func (c *composer) pieces(ctx context.Context, all []timeline.Window) error {
	var parts []string
	even := c.renumbered()
	for _, w := range all {
		one := &composer{run: c.run, graph: c.graph, frames: w.Frames}
		err := one.scene(ctx, w.Background, w.Layers)
		c.warnings = append(c.warnings, one.warnings...)
		if err != nil {
			return err
		}
		to := c.label()
		c.chain(c.top, append([]string{"format=yuv420p", "setsar=1", endFrame(w.Frames)}, even...), to)
		parts = append(parts, to)
	}
	c.top = c.label()
	c.chain(strings.Join(parts, "]["), append([]string{fmt.Sprintf("concat=n=%d", len(parts))}, even...), c.top)
	return nil
}
