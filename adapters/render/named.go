package render

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"moviola/domain/css"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// layersOf yields all layers of a window.
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

// note adds content to a window's key that affects the look of a layer but is not in the layer itself: the hashes of fonts, and
// of files that settings name.
func (r *run) note(spec *windowSpec, l timeline.Layer) error {
	if err := r.noteFonts(spec, l); err != nil {
		return err
	}
	if l.Component != nil {
		r.noteFiles(spec, l.Component.Settings)
	}
	if l.Captions != nil {
		r.noteFiles(spec, l.Captions.Style.FontURL)
	}
	return nil
}

// fontNamer returns the fonts that texts use, by the hashes of their files (internal/drawing/text.Engine).
type fontNamer interface {
	FontsOf(t timeline.Text) ([]string, error)
	FontsOfAll(w text.Writing) ([]string, error)
}

// noteFonts adds the fonts of a layer: the exact ones of a text, for other layers all fonts of their families.
func (r *run) noteFonts(spec *windowSpec, l timeline.Layer) error {
	namer, ok := r.stills.text.(fontNamer)
	if !ok {
		return nil
	}
	var names []string
	var err error
	switch {
	case l.Text != nil:
		names, err = namer.FontsOf(*l.Text)
	case l.Component != nil:
		names, err = namer.FontsOfAll(componentWriting(*l.Component))
	case l.Captions != nil:
		names, err = namer.FontsOfAll(captionWriting(*l.Captions))
	case l.Page != nil:
		names, err = namer.FontsOfAll(pageWriting(*l.Page))
	}
	if err == nil {
		err = r.noteDrawings(spec, namer, l)
	}
	if err != nil {
		return faultOf(l.Ref, "name the fonts", err)
	}
	spec.Fonts = append(spec.Fonts, names...)
	slices.Sort(spec.Fonts)
	spec.Fonts = slices.Compact(spec.Fonts)
	return nil
}

// noteDrawings adds the fonts of the SVG drawings in a layer, including its mask.
func (r *run) noteDrawings(spec *windowSpec, namer fontNamer, l timeline.Layer) error {
	shown := []source{r.sources[l.Source]}
	if l.Effects != nil && l.Effects.Mask != nil {
		shown = append(shown, r.sources[l.Effects.Mask.Source])
	}
	for _, s := range shown {
		if !s.isDrawing() {
			continue
		}
		content, err := os.ReadFile(s.path)
		if err != nil {
			return fmt.Errorf("read a drawing: %w", err)
		}
		names, err := namer.FontsOfAll(text.Writing{Families: []string{"sans-serif", "serif"}, Page: string(content),
			Words: string(content)})
		if err != nil {
			return err
		}
		spec.Fonts = append(spec.Fonts, names...)
	}
	return nil
}

// componentWriting returns the texts that a component may write: all strings in its settings, in the families that the settings
// or defaults name.
func componentWriting(c document.Component) text.Writing {
	w := text.Writing{Families: []string{"Inter", "Roboto"}, Words: "0123456789,.-"}
	var words strings.Builder
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(name, item)
			}
		case map[string]any:
			for key, item := range v {
				walk(key, item)
			}
		case string:
			words.WriteString(v)
			switch strings.ReplaceAll(strings.ToLower(name), "_", "-") {
			case "font-family":
				w.Families = append(w.Families, v)
			case "font":
				if parts, ok := css.ExpandFont(v); ok {
					w.Families = append(w.Families, parts[len(parts)-1].Value)
				}
			}
		}
	}
	walk("", c.Settings)
	w.Words += words.String()
	return w
}

func captionWriting(c timeline.Captions) text.Writing {
	var words strings.Builder
	for _, shown := range c.Shown {
		for _, row := range shown.Rows {
			for _, piece := range row.Pieces {
				words.WriteString(piece.Text)
			}
		}
	}
	return text.Writing{Families: []string{c.Style.Family}, Source: c.Style.FontURL, Words: words.String()}
}

func pageWriting(p timeline.Page) text.Writing {
	w := text.Writing{Families: []string{"sans-serif", "serif"}, Page: p.HTML, Words: p.HTML}
	for _, s := range p.Settings {
		w.Page += "\n" + s.Value
	}
	return w
}

// noteFiles adds the files that settings name, at any depth.
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

// ages returns the time until which a cached window may be used: a window with a page may change when external content of the
// page or the date does. Zero: forever.
func (r *run) ages(w timeline.Window) time.Time {
	for l := range layersOf(w) {
		if l.Page != nil && changes(*l.Page) {
			return r.began.Add(r.engine.cfg.PageTTL)
		}
	}
	return time.Time{}
}

// changes reports whether a page may look different later: it has an address, loads external content, or may read the clock.
func changes(p timeline.Page) bool {
	return p.Source != "" || strings.Contains(p.HTML, "//") || strings.Contains(strings.ToLower(p.HTML), "<script")
}

// sooner returns the earlier of two times. A zero time means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
