package artwork

import (
	"fmt"
	"os"
	"strings"

	"moviola/domain/css"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// fontNamer returns the fonts that texts use, by the hashes of their files (internal/drawing/text.Engine).
type fontNamer interface {
	FontsOf(t timeline.Text) ([]string, error)
	FontsOfAll(w text.Writing) ([]string, error)
}

// Fonts returns the hashes of the files of a layer's fonts. For a text these are the fonts that the text uses, for other
// layers all fonts that their texts may use. The fonts of SVG drawings in the layer are added.
func (s *Drawer) Fonts(l timeline.Layer) ([]string, error) {
	namer, ok := s.Text.(fontNamer)
	if !ok {
		return nil, nil
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
	if err != nil {
		return nil, faultOf(l.Ref, "name the fonts", err)
	}
	ofDrawings, err := s.drawingFonts(namer, l)
	if err != nil {
		return nil, faultOf(l.Ref, "name the fonts", err)
	}
	return append(names, ofDrawings...), nil
}

// drawingFonts returns the fonts of the SVG drawings in a layer: its source, its mask and the pictures of a component.
func (s *Drawer) drawingFonts(namer fontNamer, l timeline.Layer) ([]string, error) {
	keys := []string{l.Source}
	if l.Effects != nil && l.Effects.Mask != nil {
		keys = append(keys, l.Effects.Mask.Source)
	}
	if l.Component != nil {
		keys = append(keys, addressesIn(l.Component.Settings)...)
	}
	var all []string
	for _, key := range keys {
		src := s.Source(key)
		if !src.isDrawing() {
			continue
		}
		content, err := os.ReadFile(src.Path)
		if err != nil {
			return nil, fmt.Errorf("read a drawing: %w", err)
		}
		names, err := namer.FontsOfAll(text.Writing{Families: []string{"sans-serif", "serif"}, Page: string(content),
			Words: string(content)})
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	return all, nil
}

// addressesIn returns the addresses in settings, at any depth. They are keys of sources.
func addressesIn(settings any) (all []string) {
	switch v := settings.(type) {
	case []any:
		for _, item := range v {
			all = append(all, addressesIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			all = append(all, addressesIn(item)...)
		}
	case string:
		all = append(all, document.AddressOf(v))
	}
	return all
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
