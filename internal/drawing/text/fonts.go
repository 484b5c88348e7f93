package text

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/fontscan"
	"github.com/go-text/typesetting/language"
)

// fontCollection holds the installed fonts that were found on the machine, those shipped with the program, and perhaps
// those of a movie. Fonts of the first two kinds are read at their first use. Fonts are then kept; they are safe for
// concurrent use.
type fontCollection struct {
	prints   []fontscan.Footprint
	families map[string][]int // indexes of a family's fonts in the slice prints, by normalised family name
	ranked   []string         // families in the order of preference as fallbacks
	emoji    []string         // families with emoji
	files    map[string]bool  // keys of font files that belong to a movie; each is a family of its own
	mu       sync.Mutex
	loaded   map[int]*font.Font
	covered  map[int]fontscan.RuneSet // characters of shipped fonts, by a font's index in the slice prints
	sums     map[string]string        // hashes of font files, by path
	machine  int                      // number of installed fonts, the first ones in the slice prints
	// base is the collection to which this one adds the fonts of a movie. The fonts of base come first in the slice prints.
	// nil: this collection holds no fonts of a movie.
	base *fontCollection
}

// wish is the wanted weight, slant and width of a font.
type wish struct {
	weight int
	italic bool
	width  float64 // width factor for the letters of a stand-in for a narrow family; 0: unchanged
}

func newFontCollection(prints []fontscan.Footprint) *fontCollection {
	l := &fontCollection{
		prints: prints, families: make(map[string][]int), loaded: make(map[int]*font.Font), covered: make(map[int]fontscan.RuneSet),
		sums: make(map[string]string),
	}
	// Of two equally good fonts, every machine must choose the same one.
	slices.SortFunc(l.prints, func(a, b fontscan.Footprint) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(plainness(a), plainness(b)),
			cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Index, b.Location.Index))
	})
	for i, p := range l.prints {
		if l.families[p.Family] == nil {
			l.ranked = append(l.ranked, p.Family)
		}
		l.families[p.Family] = append(l.families[p.Family], i)
	}
	for _, family := range l.ranked {
		if isEmojiFamily(family) {
			l.emoji = append(l.emoji, family)
		}
	}
	slices.SortStableFunc(l.ranked, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)))
	})
	l.ship()
	return l
}

// plainness orders fonts of a family with the same weight: those named regular come first (Bebas Neue also has a Book of weight
// 400).
func plainness(p fontscan.Footprint) int {
	if strings.Contains(strings.ToLower(filepath.Base(p.Location.File)), "regular") {
		return 0
	}
	return 1
}

// rank orders families by their quality as a fallback for a missing character: plain sans-serif faces first (Noto has one
// for most scripts). Of families with equal rank, the caller takes short names first, because longer ones are often
// variants.
func rank(family string) int {
	switch {
	case strings.Contains(family, "emoji"):
		return 9
	case strings.Contains(family, "mono"):
		return 7
	case strings.Contains(family, "serif"):
		return 6
	case strings.Contains(family, "symbol"), strings.Contains(family, "math"):
		return 5
	case strings.HasSuffix(family, "ui"), strings.Contains(family, "display"), strings.Contains(family, "condensed"):
		return 4
	case strings.HasPrefix(family, "notosanscjk"):
		return 2
	case strings.HasPrefix(family, "notosans"):
		return 0
	case family == "dejavusans":
		return 1
	}
	return 3
}

func isEmojiFamily(family string) bool { return strings.Contains(family, "emoji") }

// covers reports whether a font has glyphs for all runes that need one.
func (l *fontCollection) covers(i int, runes []rune) bool {
	if len(runes) == 0 {
		return true
	}
	has := l.runes(i)
	for _, r := range runes {
		if !invisible(r) && !has.Contains(r) {
			return false
		}
	}
	return true
}

// nearest returns the font of a family that is most similar to the wish, among those that cover the runes.
func (l *fontCollection) nearest(family string, want wish, runes []rune) (best int, ok bool) {
	least := math.Inf(1)
	for _, i := range l.families[family] {
		if d := distance(l.prints[i].Aspect, want); d < least && l.covers(i, runes) {
			best, least, ok = i, d, true
		}
	}
	return best, ok
}

// distance orders the fonts of a family: by width, then slant, then weight. Of two equally distant weights, a light wish prefers
// the lighter one and a heavy wish the heavier one.
func distance(a font.Aspect, want wish) float64 {
	d := math.Abs(float64(a.Weight) - float64(want.weight))
	if (float64(a.Weight) < float64(want.weight)) == (want.weight > 500) {
		d += 0.5
	}
	if (a.Style == font.StyleItalic) != want.italic {
		d += 1e4
	}
	return d + 1e5*math.Abs(float64(a.Stretch-font.StretchNormal))
}

// fallback returns a font for runes that no wanted family covers. The preferred family is tried first.
func (l *fontCollection) fallback(runes []rune, preferred string, want wish) (int, bool) {
	if i, ok := l.nearest(preferred, want, runes); ok {
		return i, true
	}
	for _, family := range l.ranked {
		if i, ok := l.nearest(family, want, runes); ok {
			return i, true
		}
	}
	return 0, false
}

// load returns a font; its file is read at the first call.
func (l *fontCollection) load(i int) (*font.Font, error) {
	if l.base != nil && i < len(l.base.prints) {
		return l.base.load(i)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.loaded[i]; f != nil {
		return f, nil
	}
	at := l.prints[i].Location
	file, closer, err := openFont(at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = closer.Close() }() // the file was only read: an error of Close loses nothing
	loaders, err := opentype.NewLoaders(file)
	if err == nil && int(at.Index) >= len(loaders) { // the file was replaced after it was indexed
		err = fmt.Errorf("the file has %d fonts", len(loaders))
	}
	if err != nil {
		return nil, fmt.Errorf("read font %d of %s: %w", at.Index, at.File, err)
	}
	f, err := font.NewFont(loaders[at.Index])
	if err != nil {
		return nil, fmt.Errorf("read font %d of %s: %w", at.Index, at.File, err)
	}
	l.loaded[i] = f
	return f, nil
}

// displayNames are well-known families of narrow, heavy display letters, with the width of their letters relative to a bold
// condensed face.
var displayNames = []struct {
	prefix string
	width  float64
}{
	{"anton", 0.85}, {"bebas", 0.76}, {"oswald", 0.98}, {"impact", 1}, {"leaguegothic", 0.72}, {"fjalla", 0.98}, {"teko", 0.78},
	{"pathwaygothic", 0.7}, {"bangers", 0.9}, {"passionone", 0.95},
}

// displayWidth returns the relative width of a display family; ok is false for other families.
func displayWidth(family string) (width float64, ok bool) {
	family = font.NormalizeFamily(family)
	for _, d := range displayNames {
		if strings.HasPrefix(family, d.prefix) {
			return d.width, true
		}
	}
	return 1, false
}

// resolve returns the families of the collection that a text names: by source, the key of a font file, and by css, a list
// of families as in CSS and of such keys. If none of them is available, it returns the closest substitutes for the first
// family of css, and missing is the name of that family without quotes; empty: css names none. Decision 27.
func (l *fontCollection) resolve(source, css string) (families []string, missing string) {
	var first string
	if l.files[source] {
		families = append(families, fileFamily(source))
	}
	for _, name := range strings.Split(css, ",") {
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		if name == "" {
			continue
		}
		if first == "" {
			first = name
		}
		if l.files[name] {
			families = append(families, fileFamily(name))
		} else {
			families = append(families, l.named(name)...)
		}
	}
	if len(families) == 0 && first != "" {
		return l.closest(first), first
	}
	if len(families) == 0 {
		families = l.closest("")
	}
	return families, ""
}

// named finds a family by its own name, by a generic name of CSS, or by the Google Fonts name of a CJK font.
func (l *fontCollection) named(name string) []string {
	family := font.NormalizeFamily(name)
	if l.families[family] != nil {
		return []string{family}
	}
	switch family {
	case "sans-serif", "sansserif", "system-ui", "systemui", "ui-sans-serif":
		return l.present(standIns[sans])
	case "serif", "ui-serif":
		return l.present(standIns[serif])
	case "monospace", "ui-monospace":
		return l.present(standIns[mono])
	case "cursive":
		return l.present(standIns[script])
	}
	for _, prefix := range []string{"notosans", "notoserif"} {
		if region, ok := strings.CutPrefix(family, prefix); ok && l.families[prefix+"cjk"+region] != nil {
			return []string{prefix + "cjk" + region}
		}
	}
	return nil
}

// hanRegion returns the region whose forms of Han characters a text needs: the rest of the text decides, and the default is
// simplified Chinese.
func hanRegion(text []rune) string {
	for _, r := range text {
		switch language.LookupScript(r) {
		case language.Hiragana, language.Katakana:
			return "jp"
		case language.Hangul:
			return "kr"
		}
	}
	return "sc"
}

// cjkFamily returns the family for an East Asian script; empty for other scripts. For Han characters, hanRegion is the region
// whose forms are wanted.
func cjkFamily(script language.Script, hanRegion string) string {
	region := ""
	switch script {
	case language.Hiragana, language.Katakana:
		region = "jp"
	case language.Hangul:
		region = "kr"
	case language.Bopomofo:
		region = "tc"
	case language.Han:
		region = hanRegion
	default:
		return ""
	}
	return "notosanscjk" + region
}
