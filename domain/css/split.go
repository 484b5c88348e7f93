package css

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Split splits a text at each separator that is not inside round brackets or quotes. The separator ' ' stands for any white
// space; with it, empty parts are dropped.
func Split(text string, separator rune) []string {
	var parts []string
	depth, start := 0, 0
	var quote rune
	add := func(end int) {
		part := strings.TrimSpace(text[start:end])
		if part != "" || separator != ' ' {
			parts = append(parts, part)
		}
	}
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0 && (r == separator || separator == ' ' && unicode.IsSpace(r)):
			add(i)
			start = i + len(string(r))
		}
	}
	add(len(text))
	return parts
}

// BeforeSlash drops everything after the first slash outside of round brackets and quotes, such as second radii.
func BeforeSlash(value string) string { return Split(value, '/')[0] }

// Call splits "name(arguments)"; the name is returned in lower case.
func Call(text string) (name, arguments string, ok bool) {
	name, rest, found := strings.Cut(strings.TrimSpace(text), "(")
	arguments, closed := strings.CutSuffix(rest, ")")
	return strings.ToLower(strings.TrimSpace(name)), arguments, found && closed
}

// URL returns the address in url(…), without quotes.
func URL(text string) (string, bool) {
	name, arguments, ok := Call(text)
	if !ok || name != "url" {
		return "", false
	}
	a := strings.TrimSpace(strings.Trim(strings.TrimSpace(arguments), `"'`))
	return a, a != ""
}

// Declaration is a property and its value.
type Declaration struct{ Name, Value string }

// Declarations reads "name: value; name: value".
func Declarations(css string) []Declaration {
	var all []Declaration
	for _, part := range Split(css, ';') {
		if name, value, ok := strings.Cut(part, ":"); ok {
			all = append(all, Declaration{PropertyName(name), strings.TrimSpace(value)})
		}
	}
	return all
}

// Spellings returns the names of settings in the order in which to read them. When a setting has several spellings, the one that
// PropertyName returns comes last, so that its value is used.
func Spellings[V any](settings map[string]V) []string {
	return slices.SortedFunc(maps.Keys(settings), func(a, b string) int {
		if exactA, exactB := PropertyName(a) == a, PropertyName(b) == b; exactA != exactB {
			if exactB {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}

// PropertyName returns a name in lower case with dashes: fontSize and font_size become font-size.
func PropertyName(name string) string {
	var b strings.Builder
	for i, r := range strings.TrimSpace(name) {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		if r == '_' {
			r = '-'
		}
		b.WriteRune(r)
	}
	return b.String()
}
