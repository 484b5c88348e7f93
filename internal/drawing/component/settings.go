package component

import (
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"moviola/domain/css"
	"moviola/internal/drawing/text"
)

// The limits of the settings of a component: maxGroups for the number of groups, maxList for the entries of a list and for
// the marked parts of a text.
const (
	maxGroups = 100
	maxList   = 200
	maxText   = 20_000 // largest number of bytes of one text
)

// group is the settings of one part of a component, by property name.
type group map[string]any

// groups reads settings. A text or a list in place of a group is the group's text (Decision 53).
func groups(settings map[string]any) map[string]group {
	all := make(map[string]group)
	for _, name := range css.Spellings(settings) {
		value := settings[name]
		fields, ok := value.(map[string]any)
		if _, isText := list(value); !ok && isText {
			fields, ok = map[string]any{"text": value}, true
		}
		if !ok || len(all) == maxGroups {
			continue
		}
		all[css.PropertyName(name)] = named(fields)
	}
	return all
}

// named returns settings under the names of CSS properties, whichever spelling of a name the settings use.
func named(fields map[string]any) group {
	g := make(group, len(fields))
	for _, key := range css.Spellings(fields) {
		g[css.PropertyName(key)] = fields[key]
	}
	return g
}

// scalar returns a number, boolean or string as text, a string without the blanks at its ends; ok is false for other values.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v), true
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// word returns the value of a setting in lower case; empty when none of names is set.
func (g group) word(names ...string) string {
	for _, name := range names {
		if s, ok := scalar(g[name]); ok && s != "" {
			return strings.ToLower(s)
		}
	}
	return ""
}

// number returns a setting, limited to the range from least to most; when it is not a number, number returns otherwise.
func (g group) number(otherwise, least, most float64, names ...string) float64 {
	if n, ok := css.Number(g.word(names...)); ok {
		return min(max(n, least), most)
	}
	return otherwise
}

// css returns the settings as CSS declarations, shorthands first.
func (g group) css() []css.Declaration {
	all := make([]css.Declaration, 0, len(g))
	for name, value := range g {
		if s, ok := scalar(value); ok {
			all = append(all, css.Declaration{Name: name, Value: s})
		}
	}
	slices.SortFunc(all, func(a, b css.Declaration) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// list reads a list of texts, or a single one; ok is false for a value that is neither.
func list(value any) (texts []string, ok bool) {
	if items, isList := value.([]any); isList {
		for _, item := range items[:min(len(items), maxList)] {
			if s, good := scalar(item); good {
				texts = append(texts, s)
			}
		}
		return texts, true
	}
	s, ok := scalar(value)
	if !ok {
		return nil, false
	}
	return []string{s}, true
}

// rich is a text with marked parts.
type rich struct {
	text  string
	spans []text.Span
}

func (r rich) empty() bool { return strings.TrimSpace(r.text) == "" }

// lineEnds makes every end of a line one character, as the layout of texts does: marked parts are counted in characters.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// readRich reads a text, up to maxText bytes of it, with simple inline HTML: b, strong, em, i, br and entities. The ends
// of p, div and li become line breaks. Other tags are dropped. What is too long for a tag (see isTag) is text. Weight, slant
// and text-transform are those of the style st.
func readRich(source string, st *style) rich {
	source = lineEnds.Replace(source[:min(len(source), maxText)])
	w := richWriter{weight: st.weight, italic: st.italic, transform: st.transform, start: true}
	for source != "" {
		plain, rest, tagged := strings.Cut(source, "<")
		name, after, closed := strings.Cut(rest, ">")
		switch {
		case !tagged:
			w.write(plain)
			source = ""
		case !closed || !isTag(name): // a bracket that is not part of a tag
			w.write(plain + "<")
			source = rest
		default:
			w.write(plain)
			w.tag(tagName(name), strings.HasPrefix(name, "/"))
			source = after
		}
	}
	w.r.text = strings.TrimRight(w.out.String(), "\n ")
	return w.r
}

// richWriter builds a text with marked parts from pieces of text and tags.
type richWriter struct {
	weight        int  // weight of text without tags
	italic        bool // slant of text without tags
	transform     string
	start         bool // the next letter begins a word
	out           strings.Builder
	r             rich
	runes         int // number of runes written to the field out so far
	bold, slanted int // number of open tags for bold text, and for italic text
}

func (w *richWriter) write(s string) {
	s = w.transformed(html.UnescapeString(s))
	n := len([]rune(s))
	if n > 0 && (w.bold > 0 || w.slanted > 0) && len(w.r.spans) < maxList {
		span := text.Span{From: w.runes, To: w.runes + n, Weight: w.weight, Italic: w.italic || w.slanted > 0}
		if w.bold > 0 {
			span.Weight = max(w.weight, 700)
		}
		w.r.spans = append(w.r.spans, span)
	}
	w.out.WriteString(s)
	w.runes += n
}

// tag opens or closes an element.
func (w *richWriter) tag(name string, closes bool) {
	step := 1
	if closes {
		step = -1
	}
	switch name {
	case "br":
		w.write("\n")
	case "b", "strong":
		w.bold += step
	case "i", "em":
		w.slanted += step
	case "p", "div", "li":
		if closes {
			w.write("\n")
		}
	}
}

func isTag(name string) bool {
	n := tagName(name)
	return n != "" && unicode.IsLetter(rune(n[0])) && len(name) < 500
}

func tagName(tag string) string {
	name := strings.ToLower(strings.Trim(tag, "/ "))
	if i := strings.IndexFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }); i >= 0 {
		name = name[:i]
	}
	return name
}

// transformed changes letters as text-transform says.
func (w *richWriter) transformed(s string) string {
	switch w.transform {
	case "uppercase":
		return strings.ToUpper(s)
	case "lowercase":
		return strings.ToLower(s)
	case "capitalize":
		return strings.Map(func(r rune) rune {
			if w.start {
				r = unicode.ToTitle(r)
			}
			w.start = unicode.IsSpace(r)
			return r
		}, s)
	}
	return s
}
