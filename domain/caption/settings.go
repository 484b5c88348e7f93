package caption

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"moviola/domain/css"
)

// Bounds of the values of a subtitles element's settings.
const (
	maxWordsPerLine = 50
	maxSize         = 2000.0
	maxKeywords     = 100
	maxReplacements = 500
)

// usualSize is the default font size as a fraction of the movie's width (schema 4.8).
const usualSize = 0.05

// ReadStyle reads the settings of a subtitles element (schema 4.8) for a movie of width × height pixels. A value that cannot
// be read is replaced by the default, and a number out of range by the nearest number in the range, each with a warning that
// names the setting. Unknown settings cause warnings too. Entries of keywords and replace that cannot be read, or are too
// many, are left out without a warning.
func ReadStyle(settings map[string]any, width, height int) (Style, []Warning) {
	r := settingsReader{given: flatten(settings)}
	s := r.style(width, height)
	r.warnUnknown()
	return s, r.warnings
}

// style reads all settings and returns the style that they give for a movie of width × height pixels.
func (r *settingsReader) style(width, height int) Style {
	usual := math.Round(float64(width) * usualSize)
	r.units = css.On(float64(width), float64(height), usual)
	s := Style{
		Name: Classic, Position: BottomCenter, Weight: 400,
		Size: r.within("font-size", usual, 1, maxSize),
		X:    r.number("x", 0), Y: r.number("y", 0),
		Word:         r.color(Color{R: 255, G: 255, A: 255}, "word-color", "highlight-color"),
		Line:         r.color(Color{R: 255, G: 255, B: 255, A: 255}, "line-color", "font-color", "color"),
		Box:          r.color(css.Black, "box-color"),
		Outline:      r.color(css.Black, "outline-color"),
		Shadow:       r.color(css.Black, "shadow-color"),
		OutlineWidth: r.within("outline-width", 0, 0, maxSize/10),
		ShadowOffset: r.within("shadow-offset", 0, -maxSize/10, maxSize/10),
		MaxWords:     int(r.within("max-words-per-line", 4, 1, maxWordsPerLine)),
		Rebreak:      r.has("max-words-per-line"),
		AllCaps:      r.flag("all-caps"),
		Keywords:     r.list("keywords"),
		Replace:      r.pairs("replace"),
	}
	s.Name = oneOf(r, "style", Classic, Progressive, OneWord, BoxedLine, BoxedWord)
	s.Position = oneOf(r, "position", BottomCenter, TopLeft, TopCenter, TopRight, CenterLeft, CenterCenter, CenterRight,
		BottomLeft, BottomRight, MidTopCenter, MidBottomCenter, Custom)
	if s.Position == Custom && !r.has("x") {
		s.X = float64(width) / 2
	}
	s.Family, s.Weight = r.font()
	s.FontURL, _ = r.text("font-url")
	return s
}

// flatten returns all settings in one map. Some users write the setting style as an object that contains the other settings.
func flatten(settings map[string]any) map[string]any {
	flat := make(map[string]any, len(settings))
	for name, value := range settings {
		flat[dashed(name)] = value
	}
	nested, ok := flat["style"].(map[string]any)
	if !ok {
		return flat
	}
	delete(flat, "style")
	for name, value := range nested {
		if name = dashed(name); flat[name] == nil {
			flat[name] = value
		}
	}
	return flat
}

func dashed(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// Warning says why a setting is not followed as written.
type Warning struct{ Setting, Text string }

// settingsReader reads settings leniently: numeric strings are numbers, "true" is true (decision 23).
type settingsReader struct {
	given    map[string]any
	units    css.Units
	read     []string
	warnings []Warning
}

func (r *settingsReader) warn(setting, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{setting, fmt.Sprintf(format, args...)})
}

func (r *settingsReader) get(name string) (any, bool) {
	r.read = append(r.read, name)
	value, ok := r.given[name]
	return value, ok && value != nil
}

func (r *settingsReader) has(name string) bool { return r.given[name] != nil }

// text returns a setting as text; numbers and booleans are formatted.
func (r *settingsReader) text(name string) (string, bool) {
	value, ok := r.get(name)
	if !ok {
		return "", false
	}
	text, ok := scalar(value)
	if !ok {
		r.warn(name, "The setting '%s' cannot be read", name)
	}
	return text, ok && text != ""
}

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

func (r *settingsReader) number(name string, otherwise float64) float64 {
	text, ok := r.text(name)
	if !ok {
		return otherwise
	}
	n, ok := r.units.Pixels(text, 100*r.units.VW)
	if !ok {
		r.warn(name, "The setting '%s' must be a number", name)
		return otherwise
	}
	return n
}

func (r *settingsReader) within(name string, otherwise, least, most float64) float64 {
	n := r.number(name, otherwise)
	if r.has(name) && (n < least || n > most) {
		r.warn(name, "The setting '%s' must be %g to %g", name, least, most)
	}
	return min(max(n, least), most)
}

func (r *settingsReader) flag(name string) bool {
	text, ok := r.text(name)
	if !ok {
		return false
	}
	on, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil {
		r.warn(name, "The setting '%s' must be true or false", name)
	}
	return on
}

// color returns the first valid colour among the settings with the given names. If none of them is valid, it returns the
// default colour, which is the parameter `otherwise`. It warns of each invalid colour that comes before the returned one.
func (r *settingsReader) color(otherwise Color, names ...string) Color {
	found := otherwise
	taken := false
	for _, name := range names {
		text, ok := r.text(name)
		if !ok || taken {
			continue
		}
		if c, ok := css.ParseColor(text); ok {
			found, taken = c, true
		} else {
			r.warn(name, "The setting '%s' is no colour", name)
		}
	}
	return found
}

// oneOf reads a setting with a fixed set of values; usual is the default.
func oneOf[T ~string](r *settingsReader, name string, usual T, others ...T) T {
	text, ok := r.text(name)
	if !ok {
		return usual
	}
	value := T(dashed(text))
	if value == usual || slices.Contains(others, value) {
		return value
	}
	r.warn(name, "The setting '%s' is unknown, '%s' is used", name, string(usual))
	return usual
}

// namedFonts maps those font names of schema 4.8 that are no family names, in lower case, to families.
var namedFonts = map[string]string{
	"notosans":            "Noto Sans",
	"simplified chinese":  "Noto Sans CJK SC, Noto Sans SC",
	"traditional chinese": "Noto Sans CJK TC, Noto Sans TC",
	"japanese":            "Noto Sans CJK JP, Noto Sans JP",
	"korean":              "Noto Sans CJK KR, Noto Sans KR",
}

// font returns the family, empty when none is given, and the weight.
func (r *settingsReader) font() (string, int) {
	weight := 400
	family, _ := r.text("font-family")
	if base, ok := strings.CutSuffix(family, " Bold"); ok {
		family, weight = base, 700
	}
	if named, ok := namedFonts[strings.ToLower(family)]; ok {
		family = named
	}
	switch text, ok := r.text("font-weight"); {
	case !ok:
	default:
		if _, isNumber := css.Number(text); isNumber { // a number is read here, so that one out of range causes a warning
			weight = int(r.within("font-weight", float64(weight), css.Lightest, css.Heaviest))
		} else if named, ok := css.Weight(text); ok {
			weight = named
		} else {
			r.warn("font-weight", "The setting '%s' cannot be read", "font-weight")
		}
	}
	return family, weight
}

func (r *settingsReader) list(name string) []string {
	value, ok := r.get(name)
	if !ok {
		return nil
	}
	var items []any
	switch v := value.(type) {
	case []any:
		items = v
	case string:
		for _, part := range strings.Split(v, ",") {
			items = append(items, part)
		}
	default:
		r.warn(name, "The setting '%s' must be a list", name)
	}
	var list []string
	for _, item := range items {
		if text, ok := scalar(item); ok && text != "" && len(list) < maxKeywords {
			list = append(list, text)
		}
	}
	return list
}

func (r *settingsReader) pairs(name string) map[string]string {
	value, ok := r.get(name)
	if !ok {
		return nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		r.warn(name, "The setting '%s' must be an object of words and their replacements", name)
		return nil
	}
	pairs := make(map[string]string, len(object))
	for _, from := range slices.Sorted(maps.Keys(object)) {
		to, ok := scalar(object[from])
		if key := foldPhrase(from); key != "" && ok && len(pairs) < maxReplacements {
			pairs[key] = to
		}
	}
	return pairs
}

func (r *settingsReader) warnUnknown() {
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if !slices.Contains(r.read, name) {
			r.warn(name, "The setting '%s' has no effect", name)
		}
	}
}
