package render

import (
	"context"

	"moviola/domain/timeline"
)

// changed marks the frames of a window that may look other than the frame before. A frame that is not marked looks like it: its layers are the
// same, and each of them rests.
type changed []bool

func (c changed) mark(from, to int64) {
	for n := max(from, 0); n < min(to, int64(len(c))); n++ {
		c[n] = true
	}
}

// changesOf finds them. nil: all frames change, as those of a transition do.
func (r *run) changesOf(ctx context.Context, w timeline.Window) (changed, error) {
	if w.Transition != nil {
		return nil, nil
	}
	c := make(changed, w.Frames)
	c.mark(0, 1)
	for _, l := range w.Layers {
		if err := r.markLayer(ctx, c, l); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (r *run) markLayer(ctx context.Context, c changed, l timeline.Layer) error {
	c.mark(l.From, l.From+1)
	c.mark(l.To, l.To+1)
	if maskedByVideo(l) || r.filmed(l) {
		c.mark(l.From, l.To)
		return nil
	}
	begin := l.From - l.Phase // of the element
	if fades(l) {
		if l.FadeIn > 0 {
			c.mark(l.From, min(l.To, begin+l.FadeIn+1))
		}
		if l.FadeOut > 0 {
			c.mark(max(l.From, begin+l.Life-l.FadeOut), l.To)
		}
	}
	moving, err := r.stills.moves(ctx, l)
	if err != nil || !moving {
		return err
	}
	if l.Kind == timeline.CaptionLayer && l.Captions != nil && l.Effects == nil {
		for _, s := range l.Captions.Shown {
			c.mark(begin+s.From, begin+s.From+1)
			c.mark(begin+s.To, begin+s.To+1)
		}
		return nil
	}
	settled, err := r.stills.settles(ctx, l)
	c.mark(l.From, min(l.To, begin+settled+1))
	return err
}
