package document

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// reader reads the properties of one object leniently: numeric strings are numbers, "true" is true, null is absent, and
// client_data is client-data. A value that cannot be read counts as absent and is noted, mostly as a problem. Decision 23.
// Names, ranges and defaults come from the table of properties: the method get finds no property that is not in the table.
type reader struct {
	movie *Movie
	ref   Ref
	known propertySet // properties of the object's kind
	props map[string]any
	path  string // JSON pointer to props, relative to the scene, element or movie that ref names
}

// as returns a reader of an object of another kind. It reports mistakes for the same scene or element as r.
func (r reader) as(kind string, props map[string]any) reader {
	r.known, r.props = propertiesOf(kind), props
	return r
}

func (r reader) get(name string) (any, bool) {
	row, ok := r.known.byName[name]
	if !ok {
		return nil, false
	}
	for _, spelling := range row.spellings {
		if value, ok := r.props[spelling]; ok && value != nil {
			return value, true
		}
	}
	return nil, false
}

// row returns the table's entry for a property.
func (r reader) row(name string) entry {
	if row, ok := r.known.byName[name]; ok {
		return *row
	}
	return entry{}
}

// problem notes a mistake in the property under name, or in the whole object when name is empty. The movie is then not rendered,
// so the value used instead does not matter.
func (r reader) problem(code, name, format string, args ...any) {
	r.note(true, code, name, format, args)
}

// warn notes a property that the render does not follow as written.
func (r reader) warn(code, name, format string, args ...any) { r.note(false, code, name, format, args) }

func (r reader) note(fatal bool, code, name, format string, args []any) {
	if !r.movie.keeps(fatal) { // returning early saves the formatting
		return
	}
	n := Note{Ref: r.ref, Path: r.path, Code: code, Fatal: fatal, Text: fmt.Sprintf(format, args...)}
	if name != "" {
		n.Path += "/" + r.written(name)
	}
	r.movie.note(n)
}

// written returns the spelling of a property in the document.
func (r reader) written(name string) string {
	for _, spelling := range r.row(name).spellings {
		if r.props[spelling] != nil {
			return spelling
		}
	}
	return name
}

// quote formats a value of the document for a message, cut to a readable length.
func quote(value any) string {
	text, ok := Scalar(value)
	if !ok {
		return "what was given"
	}
	return strconv.Quote(Shorten(text))
}

// Shorten cuts a text to the 60 characters that fit into a message.
func Shorten(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Scalar returns the text form of a string, number or boolean.
func Scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// text returns the text under name, and whether there is one.
func (r reader) text(name string) (string, bool) {
	value, ok := r.get(name)
	if !ok {
		return "", false
	}
	text, ok := Scalar(value)
	if !ok {
		r.problem(ValueType, name, "The property '%s' must be a text", name)
	}
	return text, ok
}

// word returns a text in lower case and without surrounding blanks.
func (r reader) word(name string) string {
	text, _ := r.text(name)
	return strings.ToLower(strings.TrimSpace(text))
}

func (r reader) flag(name string) bool {
	otherwise := r.row(name).Default == "true"
	value, ok := r.get(name)
	if !ok {
		return otherwise
	}
	text, _ := Scalar(value)
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1":
		return true
	case "false", "0", "":
		return false
	}
	r.problem(ValueType, name, "The property '%s' must be true or false, not %s", name, quote(value))
	return otherwise
}

// number returns the number under name, and whether there is one.
func (r reader) number(name string) (Seconds, bool) {
	value, ok := r.get(name)
	if !ok {
		return Seconds{}, false
	}
	text, ok := Scalar(value)
	if ok && strings.TrimSpace(text) == "" {
		return Seconds{}, false
	}
	n, err := parseDecimal(text)
	if !ok || err != nil {
		r.problem(ValueType, name, "The property '%s' must be a number, not %s", name, quote(value))
		return Seconds{}, false
	}
	return n, true
}

// within returns the number under name, or its default when there is none; a number out of range is moved into the range,
// with a warning.
func (r reader) within(name string) float64 {
	row := r.row(name)
	n, ok := r.number(name)
	if !ok || row.Min == nil || row.Max == nil {
		return row.usual
	}
	f := n.Float()
	if f < *row.Min || f > *row.Max {
		f = min(max(f, *row.Min), *row.Max)
		r.warn(ValueRange, name, "The property '%s' must be between %v and %v, %v is used", name, *row.Min, *row.Max, f)
	}
	return f
}

// seconds returns a time that must not be negative.
func (r reader) seconds(name string) Seconds {
	n, _ := r.number(name)
	if n.Sign() < 0 {
		r.problem(ValueRange, name, "The property '%s' must not be negative", name)
		return Seconds{}
	}
	return n
}

// integer returns the number under name, rounded to the nearest whole number, halves up.
func (r reader) integer(name string) int {
	n, ok := r.number(name)
	if !ok {
		return int(r.row(name).usual)
	}
	return int(Rate{1, 1}.Frame(n))
}

// ParseNumber reads a number by the rules for properties. A number beyond ±1e9 becomes ±1e9.
func ParseNumber(text string) (float64, bool) {
	// short is a length in characters. A decimal number of at most this length is surely within ±1e9, and exact enough as a
	// float64.
	const short = 9
	if len(text) <= short && strings.Trim(text, "-.0123456789") == "" {
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil
	}
	n, err := parseDecimal(text)
	return n.Float(), err == nil
}

// shortDecimal reads a number of few digits, as most times are, without big numbers.
func shortDecimal(text string) (Seconds, bool) {
	const short = 9
	digits, negative := strings.CutPrefix(text, "-")
	whole, decimals, _ := strings.Cut(digits, ".")
	if len(text) > short || len(decimals) > maxDecimals {
		return Seconds{}, false
	}
	num, err := strconv.ParseUint(whole+decimals, 10, 32)
	if err != nil {
		return Seconds{}, false
	}
	den := int64(1)
	for range decimals {
		den *= 10
	}
	if negative {
		return fraction(-int64(num), den), true
	}
	return fraction(int64(num), den), true
}

// parseDecimal reads a decimal number exactly. Very long or very large numbers are rounded to float64 and to microseconds,
// so that hostile documents cannot cause expensive arithmetic. The result is within ±maxSeconds.
func parseDecimal(text string) (Seconds, error) {
	text = strings.TrimSpace(text)
	f, err := strconv.ParseFloat(text, 64)
	if math.IsInf(f, 0) && err == nil || math.IsNaN(f) || strings.ContainsAny(text, "xX_pP") {
		return Seconds{}, strconv.ErrSyntax
	}
	// ParseFloat returns an infinity for a number that is out of range; the bounds are applied to it afterwards
	if err != nil && !math.IsInf(f, 0) {
		return Seconds{}, err
	}
	if n, ok := shortDecimal(text); ok {
		return n, nil
	}
	const longest, largest = 40, 1e20
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > longest || len(exponent) > 3 || math.Abs(f) > largest {
		return SecondsOfFloat(f), nil
	}
	rat, ok := new(big.Rat).SetString(text)
	if !ok {
		return Seconds{}, strconv.ErrSyntax
	}
	limit := SecondsOf(maxSeconds)
	return exactly(rat).Min(limit).Max(SecondsOf(0).Sub(limit)), nil
}
