package document

import (
	"bytes"
	"encoding/json"
	"strconv"

	"moviola/domain/jsontext"
)

// warnRepeated warns of keys that one object has several times: the last one counts. Decision 24.
func (m *Movie) warnRepeated(raw []byte) {
	for _, pointer := range Repeated(raw) {
		warning := RepeatedWarning(pointer)
		m.repeated = append(m.repeated, warning)
		m.note(Note{Code: PropertyRepeated, Text: warning, Bare: true})
	}
}

// Repeats says that some object of the text which the movie was read from has a name several times.
func (m *Movie) Repeats() bool { return len(m.repeated) > 0 }

// RepeatedWarning says that the member at a JSON pointer stands several times in its object.
func RepeatedWarning(pointer string) string {
	return "The property '" + Shorten(jsontext.Dotted(pointer)) + "' is given more than once, the last one counts"
}

// Repeated returns the JSON pointers of the keys in a text that come again in their object, as far as warnings are kept. The text is JSON of bounded
// depth. Nothing of it is decoded, so that it costs next to no memory.
func Repeated(raw []byte) []string {
	var found []string
	var open []bracket // and room for deeper ones
	from, depth := 0, -1
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '{', '[':
			if depth++; depth == len(open) {
				open = append(open, bracket{})
			}
			open[depth].begin(c == '[')
		case '}', ']':
			depth--
		case ',':
			open[depth].item++
		case '"':
			from = i + 1
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case ':': // the string before it is a name
			b := &open[depth]
			b.name = nameOf(raw[from:i])
			if b.names.add(b.name) == 2 && len(found) < maxWarnings {
				found = append(found, pointerOf(open[:depth+1]))
			}
		}
	}
	return found
}

// nameOf is what a string says that ends with its quote, and blanks behind it.
func nameOf(written []byte) []byte {
	written = written[:bytes.LastIndexByte(written, '"')]
	var name string
	if !bytes.ContainsRune(written, '\\') || json.Unmarshal([]byte(`"`+string(written)+`"`), &name) != nil {
		return written
	}
	return []byte(name)
}

// maxPointer bounds a pointer, or a long name would be copied for each of many members below it.
const maxPointer = 4096

// pointerOf is the JSON pointer of the last member that was met in each bracket; of what is around it when it is too long.
func pointerOf(open []bracket) string {
	pointer := ""
	for _, b := range open {
		token := string(b.name)
		if b.list {
			token = strconv.Itoa(b.item)
		}
		if len(pointer)+len(token) > maxPointer {
			break
		}
		pointer = jsontext.Pointer(pointer, token)
	}
	return pointer
}

// bracket is an object or a list that is open.
type bracket struct {
	list  bool
	item  int    // of a list: the place of the item at hand
	name  []byte // of an object: of the member at hand
	names names
}

func (b *bracket) begin(list bool) {
	b.list, b.item, b.name = list, 0, nil
	b.names.clear()
}

// names are those of one object, and how often each was given.
type names struct {
	few   [][]byte
	times [fewNames]int
	many  map[string]int // instead of few, when there are more
}

// How many names are compared one by one, and how many a map may have had that is used again: emptying a large one takes its time.
const (
	fewNames  = 16
	mostReuse = 1000
)

// add notes a name, and returns how often it was given.
func (s *names) add(name []byte) int {
	if len(s.many) > 0 {
		s.many[string(name)]++
		return s.many[string(name)]
	}
	for i, other := range s.few {
		if bytes.Equal(name, other) {
			s.times[i]++
			return s.times[i]
		}
	}
	if len(s.few) < fewNames {
		s.few = append(s.few, name)
		s.times[len(s.few)-1] = 1
		return 1
	}
	if s.many == nil {
		s.many = map[string]int{}
	}
	for i, other := range s.few {
		s.many[string(other)] = s.times[i]
	}
	s.many[string(name)]++
	return 1
}

func (s *names) clear() {
	s.few = s.few[:0]
	if len(s.many) > mostReuse {
		s.many = nil
	}
	clear(s.many)
}
