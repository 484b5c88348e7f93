package expand

import (
	"encoding/json"
	"fmt"
	"strings"

	"moviola/domain"
)

// count adds one value to the size of an expanded movie. It returns an error when a bound is exceeded.
func (x *expansion) count(value any, depth int) error {
	x.nodes++
	switch v := value.(type) {
	case string:
		x.bytes += len(v)
	case json.Number: // a number counts its length, as a text does, because each use decodes it again
		x.bytes += len(v)
	}
	switch {
	case depth > maxDepth:
		return domain.Errorf(domain.Invalid, "movie_json_too_deep", "Movie JSON is nested deeper than %d levels", maxDepth)
	case x.nodes > maxNodes:
		return tooManyValues()
	case x.bytes > maxBytes:
		return tooMuch(fmt.Sprintf("it has more than %d bytes of text", maxBytes))
	}
	return nil
}

func tooManyValues() error { return tooMuch(fmt.Sprintf("it has more than %d values", maxNodes)) }

// countDeep counts the result of an expression with everything inside it.
func (x *expansion) countDeep(value any, depth int) error {
	if err := x.count(value, depth); err != nil {
		return err
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := x.countDeep(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := x.countDeep(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxNotes is how many problems a result keeps at most, and how many warnings it keeps at most.
const maxNotes = 50

func (x *expansion) problem(format string, args ...any) {
	if len(x.out.Problems) < maxNotes {
		x.out.Problems = append(x.out.Problems, Problem{x.place, x.path(), x.from, fmt.Sprintf(format, args...)})
	}
}

func (x *expansion) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(x.out.Warnings) < maxNotes && !x.warned[text] {
		x.warned[text] = true
		x.out.Warnings = append(x.out.Warnings, Problem{x.place, x.path(), x.from, text})
	}
}

// shown cuts a text to a length that fits into a message.
func shown(text string) string {
	const most = 60
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
