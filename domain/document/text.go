package document

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// CheckText refuses a movie that is not valid UTF-8, because such a text is not JSON. Decision 58.
func CheckText(raw []byte) error {
	if !utf8.Valid(raw) {
		return errUnreadable()
	}
	return nil
}

// Sound returns stored JSON in which U+FFFD replaces all invalid UTF-8, and all escapes of single surrogates (\ud800 without
// its other half): many parsers refuse both. Other JSON is returned unchanged. Decision 58.
func Sound(raw []byte) []byte {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		n := escapeLength(raw[i:])
		if n == escapeHalf {
			out = append(out, `\ufffd`...)
			i += escapeUnit
			continue
		}
		out = append(out, raw[i:i+n]...)
		i += n
	}
	return out
}

const (
	escapeUnit = len(`\u0000`)
	escapeHalf = 0 // result of escapeLength for a surrogate that is not half of a pair
)

// escapeLength returns how many bytes at the beginning of raw, a JSON text, belong together: the bytes of an escape, of the
// two escapes of a surrogate pair, or one byte of any other text. For an escaped surrogate without its other half it
// returns escapeHalf.
func escapeLength(raw []byte) int {
	if raw[0] != '\\' || len(raw) < 2 {
		return 1
	}
	unit, ok := escapedUnit(raw)
	switch {
	case !ok:
		return 2
	case !utf16.IsSurrogate(unit):
		return escapeUnit
	}
	if other, ok := escapedUnit(raw[escapeUnit:]); ok && utf16.DecodeRune(unit, other) != utf8.RuneError {
		return 2 * escapeUnit
	}
	return escapeHalf
}

// escapedUnit reads an escape like \u00e9 at the beginning of JSON.
func escapedUnit(raw []byte) (rune, bool) {
	if len(raw) < escapeUnit || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:escapeUnit]), 16, 16)
	return rune(unit), err == nil
}
