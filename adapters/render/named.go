package render

import (
	"slices"
	"time"

	"moviola/adapters/render/artwork"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// layersOf returns all layers of a window.
func layersOf(w timeline.Window) []timeline.Layer {
	if t := w.Transition; t != nil {
		return slices.Concat(w.Layers, t.Layers, t.Over)
	}
	all := w.Layers
	for _, p := range w.Pieces {
		all = slices.Concat(all, p.Layers)
	}
	return all
}

// note adds content to a window's key that affects the look of a layer but is not in the layer itself: the hashes of fonts, and
// of files that settings name.
func (r *run) note(spec *windowSpec, l timeline.Layer) error {
	fonts, err := r.stills.Fonts(l)
	if err != nil {
		return err
	}
	spec.Fonts = append(spec.Fonts, fonts...)
	slices.Sort(spec.Fonts)
	spec.Fonts = slices.Compact(spec.Fonts)
	if l.Component != nil {
		r.noteFiles(spec, l.Component.Settings)
	}
	if l.Captions != nil {
		r.noteFiles(spec, l.Captions.Style.FontURL)
	}
	return nil
}

// noteFiles adds the hashes of the files that settings name, at any depth, to a window's key.
func (r *run) noteFiles(spec *windowSpec, settings any) {
	switch v := settings.(type) {
	case []any:
		for _, item := range v {
			r.noteFiles(spec, item)
		}
	case map[string]any:
		for _, item := range v {
			r.noteFiles(spec, item)
		}
	case string:
		for _, key := range []string{v, document.AddressOf(v)} {
			if s, ok := r.sources[key]; ok {
				if spec.Files == nil {
					spec.Files = map[string]string{}
				}
				spec.Files[key] = s.Asset.Hash
			}
		}
	}
}

// ages returns the time until which a cached window may be used: a window with a page may change when external content of the
// page or the date does. Zero: forever.
func (r *run) ages(w timeline.Window) time.Time {
	for _, l := range layersOf(w) {
		if l.Page != nil && artwork.MayChange(*l.Page) {
			return r.began.Add(r.engine.cfg.PageTTL)
		}
	}
	return time.Time{}
}

// sooner returns the earlier of two times. A zero time means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
