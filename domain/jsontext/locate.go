package jsontext

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Place is the position of the value of a pointer in a text. Key is the offset of the member's name; for the item of a list, and
// for the whole text, it equals Value. When the text has no such value, Found is false and the offsets are those of the innermost
// enclosing value that exists.
type Place struct {
	Key, Value int
	Found      bool
}

// Locate returns the place of each pointer in a valid JSON text. When members have the same name, the last one is used.
// Locate makes one pass over the text, and its memory grows with the pointers, not with the text.
func Locate(raw []byte, pointers []string) map[string]Place {
	root := &wanted{}
	for _, pointer := range pointers {
		root.add(pointer)
	}
	w := walk{raw: raw}
	w.value(root, w.skip(0), -1)
	places := make(map[string]Place, len(pointers))
	for _, pointer := range pointers {
		places[pointer] = root.place(pointer)
	}
	return places
}

// Pointer appends names and indexes to a JSON pointer.
func Pointer(base string, tokens ...string) string {
	var b strings.Builder
	b.WriteString(base)
	for _, token := range tokens {
		b.WriteByte('/')
		if strings.ContainsAny(token, "~/") {
			token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
		}
		b.WriteString(token)
	}
	return b.String()
}

// Tokens returns the names and indexes of a JSON pointer.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		if strings.Contains(token, "~") {
			tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		}
	}
	return tokens
}

// wanted is a node of the tree of the pointers to locate.
type wanted struct {
	inner map[string]*wanted
	at    Place
}

func (w *wanted) add(pointer string) {
	for _, token := range Tokens(pointer) {
		next := w.inner[token]
		if next == nil {
			next = &wanted{}
			if w.inner == nil {
				w.inner = map[string]*wanted{}
			}
			w.inner[token] = next
		}
		w = next
	}
}

// place returns the place of the pointer below w, or of the innermost enclosing value that was found.
func (w *wanted) place(pointer string) Place {
	at := w.at
	for _, token := range Tokens(pointer) {
		if w = w.inner[token]; w == nil || !w.at.Found {
			at.Found = false
			return at
		}
		at = w.at
	}
	return at
}

// forget discards the places found in a member, because a later member has the same name.
func (w *wanted) forget() {
	w.at = Place{}
	for _, inner := range w.inner {
		inner.forget()
	}
}

// walk makes one pass over a valid text.
type walk struct{ raw []byte }

func (w walk) skip(at int) int {
	for at < len(w.raw) && strings.IndexByte(" \t\r\n", w.raw[at]) >= 0 {
		at++
	}
	return at
}

// value reads past the value that begins at the offset `at`, and returns the offset after it. want is the node of this value
// in the tree of pointers to locate; nil: no pointer leads into the value. key is the offset of the name of the member that
// has this value, or -1 when the value is not in a member.
func (w walk) value(want *wanted, at, key int) int {
	if at >= len(w.raw) {
		return at
	}
	if want != nil {
		if want.at.Found {
			want.forget()
		}
		want.at = Place{Key: key, Value: at, Found: true}
		if key < 0 {
			want.at.Key = at
		}
	}
	switch c := w.raw[at]; {
	case (c == '{' || c == '[') && (want == nil || len(want.inner) == 0):
		return w.over(at)
	case c == '{':
		return w.object(want, at)
	case c == '[':
		return w.list(want, at)
	case c == '"':
		return w.text(at)
	}
	for at < len(w.raw) && strings.IndexByte(",]} \t\r\n", w.raw[at]) < 0 {
		at++
	}
	return at
}

// over returns the offset after the object or list that begins at an offset.
func (w walk) over(at int) int {
	for depth := 0; at < len(w.raw); {
		switch w.raw[at] {
		case '"':
			at = w.text(at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			return at
		}
	}
	return at
}

// text returns the offset after the string that begins at an offset.
func (w walk) text(at int) int {
	for at++; at < len(w.raw); at++ {
		switch w.raw[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return min(at, len(w.raw))
}

func (w walk) object(want *wanted, at int) int {
	for at = w.skip(at + 1); at < len(w.raw) && w.raw[at] == '"'; {
		key, end := at, w.text(at)
		inner := want.inner[name(w.raw[key:end])]
		colon := w.skip(end)
		at = w.skip(w.value(inner, w.skip(colon+1), key))
		if at < len(w.raw) && w.raw[at] == ',' {
			at = w.skip(at + 1)
		}
	}
	return at + 1
}

// name returns the name of a member, as text.
func name(quoted []byte) string {
	var decoded string
	if json.Unmarshal(quoted, &decoded) != nil {
		return ""
	}
	return decoded
}

func (w walk) list(want *wanted, at int) int {
	at = w.skip(at + 1)
	for i := 0; at < len(w.raw) && w.raw[at] != ']'; i++ {
		at = w.skip(w.value(want.inner[strconv.Itoa(i)], at, -1))
		if at < len(w.raw) && w.raw[at] == ',' {
			at = w.skip(at + 1)
		}
	}
	return at + 1
}

// Dotted writes a pointer in the notation of programs: scenes[0].elements.
func Dotted(pointer string) string {
	var b strings.Builder
	for _, token := range Tokens(pointer) {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}
