package render

import (
	"context"

	"moviola/adapters/render/artwork"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// drawn composes one frame for a preview in this process, so that ffmpeg need not compose it. w is a window that was
// reduced to this frame. ok is false if only ffmpeg can compose the frame: because w is a transition, or because a layer
// shows a video or an animated picture, or has a video as its mask.
func (r *run) drawn(ctx context.Context, w timeline.Window) (frame *picture.Frame, ok bool, err error) {
	if w.Transition != nil {
		return nil, false, nil
	}
	for _, l := range w.Layers {
		if r.filmed(l) || maskedByVideo(l) {
			return nil, false, nil
		}
	}
	frame = picture.NewFrame(r.plan.Width, r.plan.Height, w.Background.R, w.Background.G, w.Background.B)
	for _, l := range w.Layers {
		layer, err := r.drawnLayer(ctx, l)
		if err != nil {
			return nil, false, err
		}
		if !layer.Empty() {
			frame.Draw(layer.Faded(visibleAt(l)))
		}
	}
	return frame, true, nil
}

// drawnLayer draws the first frame of a layer, without its fades.
func (r *run) drawnLayer(ctx context.Context, l timeline.Layer) (*picture.Layer, error) {
	moving, err := r.stills.Moves(ctx, l)
	if err != nil {
		return nil, err
	}
	if !moving {
		drawn, err := r.stills.Get(ctx, l)
		if err != nil {
			return nil, err
		}
		r.warn(drawn.Warnings...)
		if drawn.Layer.Empty() {
			return &drawn.Layer, nil
		}
		return drawn.Open()
	}
	a, err := r.stills.Open(ctx, l)
	if err != nil {
		return nil, err
	}
	r.warn(artwork.WarningsOf(a)...)
	return a.Draw(ctx, l.Phase)
}

// visibleAt returns the opacity, from 0 (invisible) to 1, that a layer has because of its fade-in and fade-out, in the
// first frame in which the window shows the layer. The filters of graph.fade fade the layer in the same way.
func visibleAt(l timeline.Layer) float64 {
	share := 1.0
	if l.FadeIn > 0 && l.Phase < l.FadeIn {
		share *= float64(l.Phase) / float64(l.FadeIn)
	}
	if left := l.Life - l.Phase; l.FadeOut > 0 && left < l.FadeOut {
		share *= float64(max(0, left)) / float64(l.FadeOut)
	}
	return share
}
