package text

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/language"

	"moviola/domain/timeline"
)

// FontsOf returns the fonts that a text uses, each named by the hash of its file and its index in the file: texts that are
// equal, and whose fonts have equal names, are drawn alike by one version of this program, whatever else is installed.
func (e *Engine) FontsOf(t timeline.Text) (names []string, err error) {
	used := map[int]bool{}
	err = e.guarded(func(w *worker) error {
		s, err := w.setting(t.Settings, Options{})
		if err != nil {
			return err
		}
		words := clean(t.Text)
		words = words[:min(len(words), maxRunes)]
		s.hanRegion = hanRegion(words)
		used[w.index[s.primary]] = true
		for line := range strings.SplitSeq(string(words), "\n") {
			if line == "" {
				continue
			}
			runs, err := w.itemise([]rune(line), di.DirectionLTR, s)
			if err != nil {
				return err
			}
			for _, run := range runs {
				used[w.index[run.Face]] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.fonts.namesOf(used)
}

// Writing describes texts whose exact parts and weights are not known in advance.
type Writing struct {
	Families []string // lists of families, as in CSS
	Source   string   // key of a font file; empty: none
	Page     string   // HTML of a page: every family that it names is included
	Words    string
}

// FontsOfAll returns the fonts that the texts of w can be expected to use, named as by FontsOf. These are the fonts of the
// families that w names and, for characters that they lack, those of fallback families.
func (e *Engine) FontsOfAll(w Writing) ([]string, error) {
	l := e.fonts
	families := l.mentioned(w.Page)
	for _, list := range w.Families {
		found, _ := l.resolve(w.Source, list)
		for _, family := range found {
			families[family] = true
		}
	}
	words := clean(w.Words)
	missing := map[rune]bool{}
	for _, r := range words {
		if !invisible(r) && !unicode.IsSpace(r) && !missing[r] && !l.anyCovers(families, r) {
			missing[r] = true
		}
	}
	for _, r := range slices.Sorted(maps.Keys(missing)) {
		for _, family := range l.fallbackFamilies(r) {
			families[family] = true
		}
	}
	used := map[int]bool{}
	for family := range families {
		for _, i := range l.families[family] {
			used[i] = true
		}
	}
	return l.namesOf(used)
}

// anyCovers reports whether one of the families has a character.
func (l *fontCollection) anyCovers(families map[string]bool, r rune) bool {
	for family := range families {
		if _, ok := l.nearest(family, wish{weight: 400}, []rune{r}); ok {
			return true
		}
	}
	return false
}

// fallbackFamilies are the families that may provide a character; for East Asian characters those of each region.
func (l *fontCollection) fallbackFamilies(r rune) (all []string) {
	if wantsEmoji([]rune{r}) {
		all = append(all, l.emoji...)
	}
	for _, region := range []string{"sc", "jp", "kr"} {
		if i, ok := l.fallback([]rune{r}, cjkFamily(language.LookupScript(r), region), wish{weight: 400}); ok {
			all = append(all, l.prints[i].Family)
		}
	}
	return all
}

const (
	maxNameWords = 5       // largest number of words in the name of a family
	maxPageWords = 200_000 // number of words of a page that are examined, from its beginning
)

// mentioned returns the families that a page names. A name counts when it is complete and has at most maxNameWords words,
// in upper or lower case, with its words joined or separated by characters other than letters and digits. A generic name
// of CSS, such as serif, counts as the families that stand for it. Only the first maxPageWords words of the page begin a
// name.
func (l *fontCollection) mentioned(page string) map[string]bool {
	found := map[string]bool{}
	words := strings.FieldsFunc(strings.ToLower(page), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words[:min(len(words), maxPageWords)] {
		name := ""
		for _, word := range words[i:min(len(words), i+maxNameWords)] {
			name += word
			for _, family := range l.named(name) {
				found[family] = true
			}
		}
	}
	return found
}

// namesOf returns the names of fonts, sorted: the hash of the font's file, a slash, and the font's index in that file.
func (l *fontCollection) namesOf(fonts map[int]bool) ([]string, error) {
	names := make([]string, 0, len(fonts))
	for i := range fonts {
		sum, err := l.sum(i)
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprintf("%s/%d", sum, l.prints[i].Location.Index))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// sum is the hash of a font file's content, read at the first call.
func (l *fontCollection) sum(i int) (string, error) {
	if l.base != nil && i < len(l.base.prints) {
		return l.base.sum(i)
	}
	at := l.prints[i].Location
	l.mu.Lock()
	defer l.mu.Unlock()
	if sum, ok := l.sums[at.File]; ok {
		return sum, nil
	}
	file, closer, err := openFont(at)
	if err != nil {
		return "", err
	}
	defer func() { _ = closer.Close() }() // the file was only read: an error of Close loses nothing
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read the font %s: %w", at.File, err)
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	l.sums[at.File] = sum
	return sum, nil
}

// Has reports whether a family is installed or shipped, by its own or a generic name.
func (e *Engine) Has(family string) bool { return len(e.fonts.named(family)) > 0 }
