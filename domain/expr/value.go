package expr

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pending is a value that is not known yet, such as the length of a video before it was fetched. A result that is computed
// from a pending value is pending too.
type Pending struct{}

// Truth reports whether a value counts as true: all values do except null, pending values, false, 0, empty texts, lists and
// objects, and the texts "false" and "0" (a client may write every value as a text, decision 23). In texts, case and
// surrounding blanks do not matter.
func Truth(v any) bool {
	switch v := v.(type) {
	case nil, Pending:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case json.Number:
		n, ok := toNumber(v)
		return !ok || n != 0
	case string:
		word := strings.ToLower(strings.TrimSpace(v))
		return word != "" && word != "false" && word != "0"
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// Text converts a value to a text. null and Pending (a value that is not known yet) become an empty text. Lists and objects
// become JSON, which may be very long. Computed numbers are rounded to 15 digits, so that 0.1 + 0.2 is 0.3.
func Text(v any) string {
	switch v := v.(type) {
	case nil, Pending:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case float64:
		return numberText(v)
	}
	var b strings.Builder
	b.Grow(jsonSize(v))
	writeJSON(&b, v)
	return b.String()
}

// jsonSize returns the approximate length of a value as JSON; characters that need escaping are not considered.
func jsonSize(v any) int {
	left := math.MaxInt
	fits(v, &left)
	return math.MaxInt - left
}

// writeJSON writes the output of json.Marshal piece by piece, without a second copy of a long list.
func writeJSON(b *strings.Builder, v any) {
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, name)
			b.WriteByte(':')
			writeJSON(b, v[name])
		}
		b.WriteByte('}')
	default:
		if text, ok := v.(string); ok && isPlain(text) {
			b.WriteByte('"')
			b.WriteString(text)
			b.WriteByte('"')
			return
		}
		raw, err := json.Marshal(v)
		if err != nil { // Marshal fails, for instance, for a number that JSON cannot represent
			raw = []byte("null")
		}
		b.Write(raw)
	}
}

// isPlain reports whether a text is known to need no escaping in JSON. It returns false for every text that is not ASCII.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\<>&`, c) >= 0 {
			return false
		}
	}
	return true
}

// JSON converts a computed number to a JSON number, and Pending to nil; other values are returned unchanged. Lists contain
// no computed numbers.
func JSON(v any) any {
	switch v := v.(type) {
	case float64:
		return json.Number(numberText(v))
	case Pending:
		return nil
	}
	return v
}

const exactDigits = 15

func numberText(f float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', exactDigits, 64), 64)
	if err != nil {
		rounded = f
	}
	if rounded == 0 {
		return "0" // 0, because JSON should not show -0
	}
	if size := math.Abs(rounded); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

// Number reads a number, or a numeric text. Decision 23.
func Number(v any) (float64, bool) { return toNumber(v) }

func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		return finite(v.String())
	case string:
		return finite(strings.TrimSpace(v))
	}
	return 0, false
}

func finite(text string) (float64, bool) {
	if text == "" || strings.ContainsAny(text, "xXpP_") { // notations of numbers that only Go accepts are refused
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// sizeOf returns the cost of reading a value, in bytes of its own text; the items of lists and objects are not included.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.Number:
		return len(v)
	}
	return 1
}

// length returns the number of characters of a text, items of a list, or members of an object.
func length(v any) (float64, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case []any:
		return float64(len(v)), true
	case map[string]any:
		return float64(len(v)), true
	case bool:
		return 0, false
	}
	return float64(utf8.RuneCountInString(Text(v))), true
}

// what names the type of a value for a message.
func what(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case string:
		return "the text '" + shorten(v) + "'"
	}
	return Text(v)
}
