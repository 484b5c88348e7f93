package render

import (
	"moviola/adapters/render/artwork"
	"moviola/domain/caption"
	"moviola/domain/timeline"
)

// The bounds of warnTexts: the largest number of elements whose texts are laid out before the render, and the number of
// warnings after which no further element is examined. maxFitted is also the largest number of captions that are laid out
// for warnings.
const (
	maxFitted   = 1000
	maxOverflow = 50
)

// warnTexts warns of texts that do not fit into their boxes, in the first maxFitted elements with texts, including components.
func (r *run) warnTexts() error {
	seen := map[timeline.Ref]bool{}
	found := 0
	for _, w := range r.plan.Windows {
		for _, l := range layersOf(w) {
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
	return nil
}

// warnText warns of the texts of a layer that do not fit, and returns their number.
func (r *run) warnText(l timeline.Layer) (found int, err error) {
	if err := r.openWords(); err != nil {
		return 0, err
	}
	notes, err := artwork.Misfits(r.words, l)
	if err != nil {
		return 0, nil // a text that cannot be drawn gets no warning: drawing it reports the error
	}
	for _, n := range notes {
		r.warn(n.String())
	}
	return len(notes), nil
}

// warnCaptions warns of captions that do not fit into the frame. It examines only the first maxFitted captions of track.
func (r *run) warnCaptions(track caption.Track) {
	looked := 0
	more := func() bool { looked++; return looked <= maxFitted }
	notes, err := artwork.CaptionMisfits(r.words, r.plan, track, more)
	if err != nil {
		return // captions that cannot be drawn get no warning: drawing them reports the error
	}
	for _, n := range notes {
		r.warn(n.String())
	}
}
