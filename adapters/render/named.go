package render

import (
	"iter"
	"strings"
	"time"

	"moviola/domain/document"
	"moviola/domain/timeline"
)

// layersOf yields every layer that a window shows.
func layersOf(w timeline.Window) iter.Seq[timeline.Layer] {
	return func(yield func(timeline.Layer) bool) {
		lists := [][]timeline.Layer{w.Layers}
		if t := w.Transition; t != nil {
			lists = append(lists, t.Layers, t.Over)
		}
		for _, list := range lists {
			for _, l := range list {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// note adds to the key of a window what decides how a layer looks and does not stand in it: fonts, and the content of files that
// settings name.
func (r *run) note(spec *windowSpec, l timeline.Layer) {
	writes := r.sources[l.Source].isDrawing() || l.Effects != nil && l.Effects.Mask != nil && r.sources[l.Effects.Mask.Source].isDrawing()
	switch l.Kind {
	case timeline.TextLayer, timeline.ComponentLayer, timeline.CaptionLayer, timeline.HTMLLayer:
		writes = true
	}
	if writes {
		if installed, ok := r.engine.cfg.Text.(interface{ Fonts() string }); ok {
			spec.Fonts = installed.Fonts()
		}
	}
	if l.Component != nil {
		r.noteFiles(spec, l.Component.Settings)
	}
	if l.Captions != nil {
		r.noteFiles(spec, l.Captions.Style.FontURL)
	}
}

// noteFiles looks for the names of sources in settings, at any depth.
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
				spec.Files[key] = s.asset.Hash
			}
		}
	}
}

// ages is until when a window may be taken from the cache: one that shows a page may look otherwise when what the page loads has
// changed, or the day. Zero: always.
func (r *run) ages(w timeline.Window) time.Time {
	for l := range layersOf(w) {
		if l.Page != nil && changes(*l.Page) {
			return r.began.Add(r.engine.cfg.PageTTL)
		}
	}
	return time.Time{}
}

// changes says that a page may look otherwise at another time: it comes from elsewhere or loads something, or may read the clock.
func changes(p timeline.Page) bool {
	return p.Source != "" || strings.Contains(p.HTML, "//") || strings.Contains(strings.ToLower(p.HTML), "<script")
}

// sooner is the earlier of two times, of which a zero one never comes.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
