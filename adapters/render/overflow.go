package render

import (
	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
	drawn "moviola/internal/drawing/captions"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/text"
)

// The bounds of warnTexts: the number of texts that are laid out before the render, and of warnings of a movie.
const (
	maxFitted   = 1000
	maxOverflow = 50
)

// warnTexts warns of texts that do not fit into their boxes, in the first maxFitted elements with texts, including components.
func (r *run) warnTexts() error {
	seen := map[timeline.Ref]bool{}
	found := 0
	for _, w := range r.plan.Windows {
		layers := [][]timeline.Layer{w.Layers}
		if w.Transition != nil {
			layers = append(layers, w.Transition.Layers, w.Transition.Over)
		}
		for _, some := range layers {
			for _, l := range some {
				if l.Text == nil && l.Component == nil || seen[l.Ref] {
					continue
				}
				if seen[l.Ref] = true; len(seen) > maxFitted || found >= maxOverflow {
					return nil
				}
				n, err := r.warnText(l)
				if err != nil {
					return err
				}
				found += n
			}
		}
	}
	return nil
}

// warnText warns of the texts of a layer that do not fit, and returns their number.
func (r *run) warnText(l timeline.Layer) (found int, err error) {
	if err := r.openWords(); err != nil {
		return 0, err
	}
	engine, ok := r.words.(*text.Engine)
	if !ok {
		return 0, nil
	}
	notes, err := misfits(engine, l)
	if err != nil {
		return 0, nil // a text that cannot be drawn gets no warning: drawing it reports the error
	}
	for _, n := range notes {
		r.warn(n.String())
	}
	return len(notes), nil
}

func misfits(engine *text.Engine, l timeline.Layer) ([]document.Note, error) {
	if l.Component != nil {
		return component.New(engine, nil).Notes(l.Ref, *l.Component, l.Box.W, l.Box.H)
	}
	block, err := engine.Lay(*l.Text, text.Options{}, l.Box.W, l.Box.H)
	if err != nil {
		return nil, err
	}
	if n, overflows := text.Overflow(l.Ref, block, l.Box); overflows {
		return []document.Note{n}, nil
	}
	return nil, nil
}

// warnCaptions warns of captions that do not fit, among the first maxFitted.
func (r *run) warnCaptions(track caption.Track) {
	engine, ok := r.words.(*text.Engine)
	if !ok {
		return
	}
	looked := 0
	more := func() bool { looked++; return looked <= maxFitted }
	notes, _, err := drawn.Overflow(engine, r.plan.Subtitles, track, r.plan.Width, r.plan.Height, more)
	if err != nil {
		return // captions that cannot be drawn get no warning: drawing them reports the error
	}
	for _, n := range notes {
		r.warn(n.String())
	}
}
