package text

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/fontscan"

	"moviola/third_party/fonts"
)

// shippedPrefix marks the location of a font that is part of the program.
const shippedPrefix = "shipped:"

// ship adds the families that come with the program and are not installed. They are the last fallbacks for missing characters.
// Their character sets are read when a family is first used.
func (l *fontCollection) ship() {
	l.machine = len(l.prints)
	for _, f := range fonts.Faces() {
		family := font.NormalizeFamily(f.Family)
		if at := l.families[family]; len(at) > 0 && at[0] < l.machine {
			continue
		}
		if l.families[family] == nil {
			l.ranked = append(l.ranked, family)
		}
		l.families[family] = append(l.families[family], len(l.prints))
		style := font.StyleNormal
		if f.Italic {
			style = font.StyleItalic
		}
		l.prints = append(l.prints, fontscan.Footprint{
			Family: family, Location: fontscan.Location{File: shippedPrefix + f.Path},
			Aspect: font.Aspect{Style: style, Weight: font.Weight(f.Weight), Stretch: font.StretchNormal},
		})
	}
}

// isShipped reports whether a font is part of the program and not of the machine.
func (l *fontCollection) isShipped(i int) bool {
	return strings.HasPrefix(l.prints[i].Location.File, shippedPrefix)
}

// Shipped returns the fonts that come with the program, without those of families that are installed on this machine.
func (e *Engine) Shipped() []fonts.Face {
	var all []fonts.Face
	for _, f := range fonts.Faces() {
		if at := e.fonts.families[font.NormalizeFamily(f.Family)]; len(at) > 0 && e.fonts.isShipped(at[0]) {
			all = append(all, f)
		}
	}
	return all
}

// runes returns the characters of a font.
func (l *fontCollection) runes(i int) fontscan.RuneSet {
	if !l.isShipped(i) {
		return l.prints[i].Runes
	}
	if l.base != nil && i < len(l.base.prints) {
		return l.base.runes(i)
	}
	loaded, err := l.load(i)
	if err != nil {
		return nil // not possible for a shipped font: a test reads them all
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if set, ok := l.covered[i]; ok {
		return set
	}
	set, err := runesOf(loaded)
	if err != nil {
		set = nil
	}
	l.covered[i] = set
	return set
}

// openFont opens the file of a font.
func openFont(at fontscan.Location) (opentype.Resource, io.Closer, error) {
	if path, ok := strings.CutPrefix(at.File, shippedPrefix); ok {
		content, err := fonts.Read(path)
		if err != nil {
			return nil, nil, fmt.Errorf("open a shipped font: %w", err)
		}
		return bytes.NewReader(content), io.NopCloser(nil), nil
	}
	file, err := os.Open(at.File)
	if err != nil {
		return nil, nil, fmt.Errorf("open a font: %w", err)
	}
	return file, file, nil
}
