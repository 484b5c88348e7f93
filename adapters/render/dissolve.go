package render

import (
	"context"
	"math"
	"slices"

	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
	"moviola/internal/h264"
)

// dissolve is a fade of one picture into one colour. Its frames can be written as weighted copies of the picture, without
// encoding. The opposite, a fade from a colour to a picture, is encoded as usual. The frames of that fade could only be
// copied from the picture after them, which openh264 cannot decode in a stream without bidirectional frames.
type dissolve struct {
	span          // the frames of the fade: those after the last one that shows the unfaded picture
	since   int64 // the first frame of the window that shows the layer
	weights []h264.Weight
}

// worthWeighing is the smallest number of frames of a fade for which frames are written as weighted copies.
const worthWeighing = 3

// dissolvesOf returns the fades of a window during which a single layer is visible over one colour.
func (r *run) dissolvesOf(ctx context.Context, w timeline.Window) ([]dissolve, error) {
	var all []dissolve
	for i, l := range w.Layers {
		if !fades(l) || r.filmed(l) || maskedByVideo(l) || l.FadeIn >= l.Life-l.FadeOut {
			continue
		}
		if moving, err := r.stills.Moves(ctx, l); moving || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		last := l.From - l.Phase + l.Life - l.FadeOut // the last frame with the unfaded picture
		if l.FadeOut <= worthWeighing || l.FadeOut >= keyframes(r.plan.FPS) || l.To != last+l.FadeOut || last < l.From {
			continue
		}
		d := dissolve{span: span{last + 1, l.To}, since: l.From}
		if r.dissolves(d, w, slices.Delete(slices.Clone(w.Layers), i, i+1)) {
			if d.weights = weightsOf(w.Background, d.to-last); d.weights != nil {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// dissolves reports whether the layers in others and the thumbnail permit that the frames of the fade d are written as
// weighted copies, that is computed from the picture before the fade, without encoding. None of the layers in others may
// be visible during the fade or disappear just before it. The frame that becomes the movie's thumbnail must not be part
// of the fade.
func (r *run) dissolves(d dissolve, w timeline.Window, others []timeline.Layer) bool {
	if at := r.plan.ThumbnailFrame - w.Start; at >= d.from && at < d.to {
		return false
	}
	return !slices.ContainsFunc(others, func(o timeline.Layer) bool {
		return o.To >= d.from-1 && o.From < d.to
	})
}

// weightsOf returns the weights of a picture that fades into a colour within a number of frames. The last of these frames shows
// only the colour and has no weight. nil: a weight is out of the range of H.264, for instance before a light colour.
func weightsOf(background timeline.Color, frames int64) []h264.Weight {
	colour := picture.NewFrame(2, 2, background.R, background.G, background.B).Pix
	var all []h264.Weight
	for n := int64(1); n < frames; n++ {
		scale := int(math.Round(h264.WeightWhole * float64(frames-n) / float64(frames)))
		if scale < 1 || scale >= h264.WeightWhole {
			return nil
		}
		offset := func(value byte) int {
			return int(math.Round(float64(value) * (1 - float64(scale)/h264.WeightWhole)))
		}
		weight := h264.Weight{Scale: scale, Luma: offset(colour[0]), Cb: offset(colour[4]), Cr: offset(colour[5])}
		if max(weight.Luma, weight.Cb, weight.Cr) > h264.MostOffset {
			return nil
		}
		all = append(all, weight)
	}
	return all
}

// weighed returns a copy of c (how much each frame of a window changes) for the case that the frames of the fades all are
// computed from the picture before the fade, without encoding. In the copy, the frames of a fade count as unchanged. So
// does the frame before the fade, unless the picture appears with it. The frame after a fade counts as replaced: it
// becomes a key frame, so that no later frame refers to a frame before the end of the fade.
func (c changed) weighed(all []dissolve) changed {
	c = slices.Clone(c)
	for _, d := range all {
		for n := d.from; n < d.to; n++ {
			c[n] = same
		}
		if d.from-1 > d.since {
			c[d.from-1] = same
		}
		if d.to < int64(len(c)) {
			c[d.to] = replaced
		}
	}
	return c
}

// beginning returns the fade that begins at a frame; nil: there is none.
func beginning(all []dissolve, at int64) *dissolve {
	i := slices.IndexFunc(all, func(d dissolve) bool { return d.from == at })
	if i < 0 {
		return nil
	}
	return &all[i]
}
