package document

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// warnRepeated warns of keys that one object has several times: the last one counts. Decision 24.
func (m *Movie) warnRepeated(raw []byte, tree any) {
	// As a rule there are none, and counting is much quicker than looking.
	if members(raw) == properties(tree) {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	for _, path := range repeated(dec, "", nil) {
		warning := "The property '" + path + "' is given more than once, the last one counts"
		m.repeated = append(m.repeated, warning)
		m.note(Note{Code: PropertyRepeated, Text: warning, Bare: true})
	}
}

// members counts the members of all objects as written: each has one colon.
func members(raw []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			n++
		}
	}
	return n
}

// properties counts the members of all objects as read.
func properties(tree any) int {
	n := 0
	switch v := tree.(type) {
	case map[string]any:
		n = len(v)
		for _, item := range v {
			n += properties(item)
		}
	case []any:
		for _, item := range v {
			n += properties(item)
		}
	}
	return n
}

// repeated reads one value and appends the paths of the keys in it that come again in their object, as far as warnings are kept.
// The depth of the text is known to be bounded.
func repeated(dec *json.Decoder, path string, found []string) []string {
	token, err := dec.Token()
	if err != nil {
		return found
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]int{}
		for dec.More() {
			key, _ := dec.Token()
			name, _ := key.(string)
			inner := name
			if path != "" {
				inner = path + "." + name
			}
			inner = shortened(inner) // or a long name would be copied for each of many members below it
			if seen[name]++; seen[name] == 2 && len(found) < maxNotes {
				found = append(found, inner)
			}
			found = repeated(dec, inner, found)
		}
	case json.Delim('['):
		for i := 0; dec.More(); i++ {
			found = repeated(dec, shortened(path+"["+strconv.Itoa(i)+"]"), found)
		}
	default:
		return found
	}
	_, _ = dec.Token() // the closing bracket
	return found
}
