package text

import (
	"os"
	"path/filepath"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
	"github.com/sirupsen/logrus"

	"moviola/domain/timeline"
)

// Run is a piece of a line as it was shaped.
type Run struct {
	Text    string
	Family  string
	Weight  int
	Missing bool // it has glyphs that the font does not have
	Width   float64
}

// Runs lays out a text without line breaks of its own: per line its runs from left to right.
func (e *Engine) Runs(t timeline.Text, w, h int) (lines [][]Run, warnings []string, err error) {
	worker := <-e.workers
	defer func() { e.workers <- worker }()
	s, err := worker.setting(t.Settings, Options{})
	if err != nil {
		return nil, nil, err
	}
	p, err := worker.lay(t, s, w, h)
	if err != nil {
		return nil, nil, err
	}
	text := clean(t.Text)
	for _, line := range p.lines {
		var runs []Run
		for _, out := range line.runs {
			about := out.Face.Describe()
			run := Run{
				Text: string(text[out.Runes.Offset : out.Runes.Offset+out.Runes.Count]), Family: about.Family,
				Weight: int(about.Aspect.Weight), Width: px(out.Advance),
			}
			for _, g := range out.Glyphs {
				run.Missing = run.Missing || g.GlyphID == 0
			}
			runs = append(runs, run)
		}
		lines = append(lines, runs)
	}
	return lines, s.warnings, nil
}

// NewBare is an engine of a machine without fonts.
func NewBare() *Engine { return newEngine(newFontCollection(nil), logrus.StandardLogger()) }

// FileOf is the file from which a family is drawn in a weight.
func (e *Engine) FileOf(family string, weight int) string {
	i, _ := e.fonts.nearest(e.fonts.named(family)[0], wish{weight: weight}, nil)
	return e.fonts.prints[i].Location.File
}

// NewOf is an engine of a machine on which the fonts of a folder are installed.
func NewOf(dir string) (*Engine, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var prints []fontscan.Footprint
	for _, f := range files {
		one := newFontCollection(nil)
		path := filepath.Join(dir, f.Name())
		if err := one.add(path, path, nil); err != nil {
			return nil, err
		}
		print := one.prints[len(one.prints)-1]
		print.Family = font.NormalizeFamily(one.loaded[len(one.prints)-1].Describe().Family)
		prints = append(prints, print)
	}
	return newEngine(newFontCollection(prints), logrus.StandardLogger()), nil
}
