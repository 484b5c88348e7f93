package render

import (
	"context"
	"slices"

	"moviola/domain/timeline"
)

// changed tells for each frame of a window how much it can differ from the previous frame. An unchanged frame shows the
// same as the previous one. In the result of weighed, frames of fades count as unchanged too.
type changed []change

// change is the amount of change from one frame to the next.
type change uint8

const (
	// same: the frame equals the previous one.
	same change = iota
	// altered: the frame differs from the previous one, but most of it is the same.
	altered
	// redrawn: a picture, video or page of a quarter of the canvas or more fades or moves in the frame.
	redrawn
	// replaced: a picture, video or page of a quarter of the canvas or more appears or disappears in the frame without a
	// fade. In a window that shows no picture, video or page, this also applies to texts and other layers, but not to
	// captions.
	replaced
)

func (c changed) mark(from, to int64, how change) {
	for n := max(from, 0); n < min(to, int64(len(c))); n++ {
		c[n] = max(c[n], how)
	}
}

// pictured reports whether a layer shows a picture, a video or a page.
func pictured(l timeline.Layer) bool {
	return l.Kind == timeline.ImageLayer || l.Kind == timeline.VideoLayer || l.Kind == timeline.HTMLLayer
}

// fills reports whether a layer shows a picture, a video or a page, and covers a quarter of the canvas or more.
func (r *run) fills(l timeline.Layer) bool {
	return pictured(l) && 4*int64(l.Box.W)*int64(l.Box.H) >= int64(r.plan.Width)*int64(r.plan.Height)
}

// changesOf computes the changes of a window's frames; nil: all frames change, as in a transition and in a group of pieces.
func (r *run) changesOf(ctx context.Context, w timeline.Window) (changed, error) {
	if w.Transition != nil || w.Pieces != nil {
		return nil, nil
	}
	c := make(changed, w.Frames)
	c.mark(0, 1, altered)
	bare := !slices.ContainsFunc(w.Layers, pictured)
	for _, l := range w.Layers {
		if err := r.markLayer(ctx, c, l, bare); err != nil {
			return nil, err
		}
	}
	if bare {
		c.calm()
	}
	return c, nil
}

// calm sets altered (a small change) instead of replaced (a large one) for each frame whose previous or next frame changes
// too. It is called for windows that show no picture, video or page. In such windows the encoder treats a large change
// directly before or after another change like a small one.
func (c changed) calm() {
	for n := range c {
		if c[n] == replaced && (n > 0 && c[n-1] != same || n+1 < len(c) && c[n+1] != same) {
			c[n] = altered
		}
	}
}

// changesIn returns how much a frame changes when a layer moves, when it appears and when it disappears. bare says that the
// window shows no picture, video or page.
func (r *run) changesIn(l timeline.Layer, bare bool) (moved, comes, goes change) {
	moved, comes, goes = altered, altered, altered
	fills := r.fills(l)
	if fills {
		moved, comes, goes = redrawn, redrawn, redrawn
	}
	if !fills && (!bare || l.Kind == timeline.CaptionLayer) {
		return moved, comes, goes
	}
	if l.Phase == 0 && l.FadeIn == 0 {
		comes = replaced
	}
	if l.Phase+l.To-l.From == l.Life && l.FadeOut == 0 {
		goes = replaced
	}
	return moved, comes, goes
}

func (r *run) markLayer(ctx context.Context, c changed, l timeline.Layer, bare bool) error {
	moved, comes, goes := r.changesIn(l, bare)
	c.mark(l.From, l.From+1, comes)
	c.mark(l.To, l.To+1, goes)
	if maskedByVideo(l) || r.filmed(l) {
		c.mark(l.From, l.To, moved)
		return nil
	}
	begin := l.From - l.Phase // first frame of the element, in frames of the window
	if fades(l) {
		if l.FadeIn > 0 {
			c.mark(l.From, min(l.To, begin+l.FadeIn+1), moved)
		}
		if l.FadeOut > 0 {
			c.mark(max(l.From, begin+l.Life-l.FadeOut), l.To, moved)
		}
	}
	moving, err := r.stills.Moves(ctx, l)
	if err != nil || !moving {
		return err
	}
	if l.Kind == timeline.CaptionLayer && l.Captions != nil && l.Effects == nil {
		for _, s := range l.Captions.Shown {
			c.mark(begin+s.From, begin+s.From+1, altered)
			c.mark(begin+s.To, begin+s.To+1, altered)
		}
		return nil
	}
	settled, err := r.stills.Settles(ctx, l)
	c.mark(l.From, min(l.To, begin+settled+1), moved)
	return err
}
