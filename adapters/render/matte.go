package render

import (
	"context"
	"fmt"
	"slices"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// matteQuality is x264's quality parameter for mattes. The quality is high: noise in a matte is visible in every transparent
// area.
const matteQuality = "8"

// matteEncoder returns the encoder arguments of a matte. A matte is always made by x264, because each of its pixels becomes the
// opacity of a pixel of the movie.
func matteEncoder(plan *timeline.Timeline) []string {
	return encoderOf(plan, ffmpeg.Encoder{}, matteQuality)
}

func (r *run) encoderOf(t *ticket) []string {
	if t.matte {
		return matteEncoder(r.plan)
	}
	return encoder(r.plan, r.coder(false))
}

// mattesOf returns the parts of the movie's matte: a second movie that is white where the movie is opaque and black where it is
// transparent. There are none if no output needs a matte, or if the whole movie is opaque.
func (r *run) mattesOf(p parts) (parts, error) {
	clear := func(w timeline.Window) bool { return w.Clear != nil }
	if !r.job.Matte || !slices.ContainsFunc(p.windows, clear) {
		return parts{}, nil
	}
	m := parts{matte: true, sound: p.sound}
	counted := map[string]bool{}
	for _, w := range p.windows {
		if !clear(w) { // a window without transparency is replaced by an empty one, whose matte is white everywhere
			w = timeline.Window{Scene: w.Scene, Start: w.Start, Frames: w.Frames, Background: w.Background}
			w.Clear = &timeline.Clear{Scene: w.Background}
		}
		key, err := r.windowKey(w, true)
		if err != nil {
			return parts{}, err
		}
		m.windows, m.keys = append(m.windows, w), append(m.keys, key)
		if !counted[key] {
			counted[key] = true
			r.progress.total += w.Frames
		}
	}
	return m, nil
}

// matte renders the movie's matte: a second movie that is white where the movie is opaque and black where it is
// transparent. It returns the path of the matte's file. p are the parts of the matte; if p has no windows, no matte is
// needed and the path is empty. The windows of a matte are cached and shared like those of a movie.
func (r *run) matte(ctx context.Context, p parts) (string, error) {
	if len(p.windows) == 0 {
		return "", nil
	}
	windows, sound, err := r.encode(ctx, p)
	if err != nil {
		return "", err
	}
	path, _, err := r.join(windows, sound)
	if err != nil {
		return "", fmt.Errorf("matte: %w", err)
	}
	return path, nil
}

// composeTicket composes the picture of a window, or its matte.
func (r *run) composeTicket(ctx context.Context, g *graph, t *ticket, frames rests) ([]string, error) {
	if !t.matte {
		return r.composeInto(ctx, g, t.window, frames)
	}
	return r.composeMatte(ctx, g, t.window, frames)
}

// composeMatte composes a window twice, over black and over white. Pixels that are equal in both are opaque. Where they differ,
// the base shows through, and the difference is the degree of transparency.
func (r *run) composeMatte(ctx context.Context, g *graph, w timeline.Window, frames rests) ([]string, error) {
	level := func() string {
		to := g.label()
		g.chain(g.top, []string{"format=yuv420p", "setsar=1", endFrame(frames.frames),
			fmt.Sprintf("settb=%d/%d", g.rate.Den, g.rate.Num), number(0)}, to)
		return to
	}
	warnings, err := r.composeInto(ctx, g, w, frames)
	if err != nil {
		return nil, err
	}
	dark := level()
	if _, err = r.composeInto(ctx, g, overWhite(w), frames); err != nil {
		return nil, err
	}
	light := level()
	g.top = g.label()
	g.chain(dark+"]["+light, []string{"blend=all_mode=difference", "lutyuv=y=235-val:u=128:v=128"}, g.top)
	return warnings, nil
}

// overWhite returns a window whose base is white instead of black.
func overWhite(w timeline.Window) timeline.Window {
	w.Background = w.Clear.Scene
	if w.Transition != nil {
		t := *w.Transition
		t.Background, w.Transition = w.Clear.Leaving, &t
	}
	return w
}
