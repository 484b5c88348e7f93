package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"moviola/domain/timeline"
)

// worker holds the state of one drawing at a time. Its faces and its shaper have caches.
type worker struct {
	engine    *Engine
	shaper    shaping.HarfbuzzShaper
	wrapper   shaping.LineWrapper
	segmenter shaping.Segmenter
	clusters  segmenter.Segmenter
	bidi      bidi.Paragraph
	faces     map[faceKey]*font.Face
	about     map[*font.Face]faceInfo // what each face looks like
	index     map[*font.Face]int      // index of each face's font in the font collection
	chosen    map[choiceKey]int       // cached choices of fallback fonts
}

// faceKey is a font, by its index in the font collection, with the wanted weight, slant and width.
type faceKey struct {
	print int
	want  wish
}

// faceInfo describes a face, and which of the wanted properties its font lacks, so that the program synthesises them: slant and
// weight.
type faceInfo struct {
	emoji, slant, thicken bool
	width                 float64 // width factor of its letters; 0: unchanged
}

type choiceKey struct {
	r         rune
	preferred string
	want      wish
}

// glyphKey identifies a glyph of a font.
type glyphKey struct {
	font *font.Font
	gid  font.GID
}

// maxRemembered is the largest number of entries in each cache of a worker, the object that lays out one text at a time.
const maxRemembered = 4096

func newWorker(e *Engine) *worker {
	return &worker{engine: e, faces: make(map[faceKey]*font.Face), about: make(map[*font.Face]faceInfo),
		index: make(map[*font.Face]int), chosen: make(map[choiceKey]int)}
}

// Span is a range of runes of a text with another weight or slant.
type Span struct {
	From, To int // From inclusive, To exclusive
	Weight   int
	Italic   bool
}

// setting holds the parts of a text's style that affect the choice of fonts and shaping.
type setting struct {
	families []string // families to choose from: installed, shipped, fetched, or of a font file of the movie
	want     wish
	spans    []Span // parts with another weight or slant
	start    int    // index of the current paragraph in the text, in runes
	size     fixed.Int26_6
	spacing  fixed.Int26_6
	words    fixed.Int26_6 // added to the width of blanks
	justify  bool
	tabular  bool
	primary  *font.Face
	// hanRegion is the region whose forms of Han characters the text needs. It is found from the text itself.
	hanRegion string
	warnings  []string
}

func (s *setting) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range s.warnings {
		if w == text {
			return
		}
	}
	if len(s.warnings) < 5 {
		s.warnings = append(s.warnings, text)
	}
}

// wishAt returns the wanted weight, slant and width of the character at an index of the paragraph.
func (s *setting) wishAt(i int) wish {
	for _, span := range s.spans {
		if at := s.start + i; at >= span.From && at < span.To {
			return wish{weight: span.Weight, italic: span.Italic, width: s.want.width}
		}
	}
	return s.want
}

func (w *worker) setting(t timeline.TextSettings, o Options) (*setting, error) {
	families, missing := w.engine.fonts.resolve(t.FontSource, t.FontFamily)
	s := &setting{
		families: families,
		want:     wish{weight: t.FontWeight, italic: t.Italic},
		spans:    o.Spans,
		tabular:  o.Tabular,
		size:     fixed.Int26_6(t.FontSize * 64),
		spacing:  fixed.Int26_6(t.LetterSpacing * 64),
		words:    fixed.Int26_6(t.WordSpacing * 64),
		justify:  t.Align == timeline.AlignJustify,
	}
	// The missing family is a display family: one for headlines, such as Anton. Such a family often has one weight, which
	// is called normal and looks bold, so the font in its place is at least bold.
	if width, ok := displayWidth(missing); ok {
		s.want.weight, s.want.width = max(s.want.weight, 700), width
	}
	index, ok := w.engine.fonts.nearest(families[0], s.want, nil)
	if !ok {
		return nil, fmt.Errorf("no font of family %s", families[0])
	}
	var err error
	if s.primary, err = w.face(index, s.want); err != nil {
		return nil, err
	}
	if missing != "" {
		s.warn("The font family '%.60s' is not installed, '%s' is used", missing, s.primary.Describe().Family)
	}
	return s, nil
}

func (w *worker) face(index int, want wish) (*font.Face, error) {
	key := faceKey{index, want}
	if face := w.faces[key]; face != nil {
		return face, nil
	}
	loaded, err := w.engine.fonts.load(index)
	if err != nil {
		return nil, err
	}
	if len(w.faces) >= maxRemembered {
		clear(w.faces)
		clear(w.about)
		clear(w.index)
	}
	face := font.NewFace(loaded)
	face.SetVariations([]font.Variation{{Tag: opentype.MustNewTag("wght"), Value: float32(want.weight)}})
	if len(face.Coords()) > 0 {
		// The shaper caches by font: each weight needs its own copy.
		own := *loaded
		face.Font = &own
	}
	w.faces[key], w.index[face] = face, index
	print := w.engine.fonts.prints[index]
	variable := len(face.Coords()) > 0
	if !slices.Contains(standIns[title], print.Family) {
		want.width = 0
	}
	w.about[face] = faceInfo{
		width:   want.width,
		emoji:   isEmojiFamily(print.Family),
		slant:   want.italic && print.Aspect.Style != font.StyleItalic,
		thicken: want.weight >= 600 && print.Aspect.Weight <= 500 && !variable,
	}
	return face, nil
}

// constantFont makes the segmenter split by direction and script only: fonts are chosen for whole grapheme clusters later.
type constantFont struct{ face *font.Face }

func (f constantFont) ResolveFace(rune) *font.Face { return f.face }

// itemise splits a paragraph, written in the given direction, into runs of one direction, script, language and font.
func (w *worker) itemise(text []rune, direction di.Direction, s *setting) ([]shaping.Input, error) {
	whole := shaping.Input{Text: text, RunEnd: len(text), Direction: direction, Face: s.primary, Size: s.size, Language: "en"}
	if s.spacing != 0 { // ligatures are switched off between letters with extra spacing
		for _, tag := range []string{"liga", "clig"} {
			whole.FontFeatures = append(whole.FontFeatures, shaping.FontFeature{Tag: opentype.MustNewTag(tag)})
		}
	}
	if s.tabular {
		whole.FontFeatures = append(whole.FontFeatures, shaping.FontFeature{Tag: opentype.MustNewTag("tnum"), Value: 1})
	}
	w.clusters.Init(text)
	clusters := w.clusters.GraphemeIterator()
	more := clusters.Next()

	var runs []shaping.Input
	for _, run := range w.segmenter.Split(whole, constantFont{s.primary}) {
		var last *font.Face // font of the previous cluster; nil at the start of a run
		onlyBlanks := true
		for more && clusters.Grapheme().Offset < run.RunEnd {
			cluster := clusters.Grapheme()
			face, err := w.choose(cluster.Text, run.Script, s, s.wishAt(cluster.Offset), last)
			if err != nil {
				return nil, err
			}
			end := min(cluster.Offset+len(cluster.Text), run.RunEnd)
			n := len(runs)
			switch {
			case last != nil && onlyBlanks && !w.isEmoji(face): // blanks before a word use the word's font
				runs[n-1].Face, runs[n-1].RunEnd = face, end
			case face == last:
				runs[n-1].RunEnd = end
			default:
				piece := run
				piece.Face, piece.RunStart, piece.RunEnd = face, max(cluster.Offset, run.RunStart), end
				runs = append(runs, piece)
			}
			last, onlyBlanks = face, onlyBlanks && blank(cluster.Text)
			if cluster.Offset+len(cluster.Text) > run.RunEnd {
				break // the run ends inside of the cluster; the rest belongs to the next run
			}
			more = clusters.Next()
		}
	}
	return runs, nil
}

// choose returns the font for a grapheme cluster. last is the font of the previous cluster in the same run, nil if there is none.
func (w *worker) choose(cluster []rune, script language.Script, s *setting, want wish, last *font.Face) (*font.Face, error) {
	fonts := w.engine.fonts
	if blank(cluster) {
		// A space takes the font of the text around it, but never an emoji font.
		if last != nil && !w.isEmoji(last) {
			return last, nil
		}
		return s.primary, nil
	}
	if wantsEmoji(cluster) {
		for _, family := range fonts.emoji {
			if i, ok := fonts.nearest(family, want, cluster); ok {
				return w.face(i, want)
			}
		}
	}
	for _, family := range s.families {
		if i, ok := fonts.nearest(family, want, cluster); ok {
			return w.face(i, want)
		}
	}
	return w.standIn(cluster, script, s, want)
}

// standIn returns a font for a cluster that no wanted family covers. If no font has its first character, it warns and
// returns the primary font.
func (w *worker) standIn(cluster []rune, script language.Script, s *setting, want wish) (*font.Face, error) {
	preferred := cjkFamily(script, s.hanRegion)
	key := choiceKey{r: cluster[0], preferred: preferred, want: want}
	if i, ok := w.chosen[key]; ok && len(cluster) == 1 {
		return w.face(i, want)
	}
	i, ok := w.engine.fonts.fallback(cluster, preferred, want)
	if !ok {
		i, ok = w.engine.fonts.fallback(cluster[:1], preferred, want) // a font for the base character at least
	}
	if !ok {
		s.warn("No installed font has the character %U", cluster[0])
		return s.primary, nil
	}
	if len(cluster) == 1 {
		if len(w.chosen) >= maxRemembered {
			clear(w.chosen)
		}
		w.chosen[key] = i
	}
	return w.face(i, want)
}

func (w *worker) isEmoji(face *font.Face) bool { return w.about[face].emoji }

// lineBreak is the only HTML tag that this package recognises.
var lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)

// clean replaces characters without glyphs: the tag br and every line break become a line feed, a carriage return together with
// the line feed after it, and all other control characters become spaces.
func clean(text string) []rune {
	text = lineBreak.ReplaceAllLiteralString(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	runes := make([]rune, 0, len(text))
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			r = '\n'
		case unicode.IsControl(r):
			r = ' '
		}
		runes = append(runes, r)
	}
	return runes
}
