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
	// groupSeconds is the largest length of a group in seconds. If a piece changes, its whole group is made anew.
	groupSeconds = 4
	// mostGrouped is the largest number of frames in a group. Frames of a source that are decoded for a later piece wait in memory.
	mostGrouped = 128
	// mostPieces is the largest number of pieces in a group. Each can need an input of its own.
	mostPieces = 16
)

// grouped joins neighbouring windows that are so short that starting an encoder for each costs more than encoding them (ADR 059).
// Which windows it joins depends on the timeline and its sources only, so that a group's key says all that its file depends on.
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

// groups reports whether a window can be a piece of a group whose other pieces have the given value of Fresh: it is short, a
// video moves in it from its first frame to its last, so that no frame is held, and no page is waited for.
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

// pieces composites the pieces of a group, one after the other.
func (c *composer) pieces(ctx context.Context, all []timeline.Window) error {
	var parts []string
	even := []string{fmt.Sprintf("settb=%d/%d", c.rate.Den, c.rate.Num), number(0)}
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
