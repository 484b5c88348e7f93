package render

import (
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// The bounds of warnTexts: how many texts are laid out before the render, and how many warnings a movie shows.
const (
	maxFitted   = 1000
	maxOverflow = 50
)

// warnTexts notes the texts that need more room than their boxes have, each once: those of the first maxFitted elements with texts.
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
				if l.Text == nil || seen[l.Ref] {
					continue
				}
				if seen[l.Ref] = true; len(seen) > maxFitted || found == maxOverflow {
					return nil
				}
				overflows, err := r.warnText(l)
				if err != nil {
					return err
				}
				if overflows {
					found++
				}
			}
		}
	}
	return nil
}

// warnText notes a text that does not fit.
func (r *run) warnText(l timeline.Layer) (bool, error) {
	if err := r.openWords(); err != nil {
		return false, err
	}
	engine, ok := r.words.(*text.Engine)
	if !ok {
		return false, nil
	}
	block, err := engine.Lay(*l.Text, text.Options{}, l.Box.W, l.Box.H)
	if err != nil {
		return false, nil // whoever draws it reports that
	}
	n, overflows := text.Overflow(l.Ref, block, l.Box)
	if overflows {
		r.warn(n.String())
	}
	return overflows, nil
}
