package document

import (
	"bytes"
	"encoding/json"
	"strconv"

	"moviola/domain/jsontext"
)

// warnRepeated warns of keys that are repeated in an object. Only the last value of a repeated key is used. Decision 24.
func (m *Movie) warnRepeated(raw []byte) {
	for _, pointer := range Repeated(raw) {
		warning := RepeatedWarning(pointer)
		m.repeated = append(m.repeated, warning)
		m.note(Note{Code: PropertyRepeated, Text: warning, Bare: true})
	}
}

// Repeats reports whether an object of the movie's text has a repeated key.
func (m *Movie) Repeats() bool { return len(m.repeated) > 0 }

// RepeatedWarning returns the warning for the repeated member at a JSON pointer. The pointer is empty when the name of a
// movie's property is longer than Repeated shows.
func RepeatedWarning(pointer string) string {
	if pointer == "" {
		return "A property of the movie is given more than once, the last one counts"
	}
	return "The property '" + Shorten(jsontext.Dotted(pointer)) + "' is given more than once, the last one counts"
}

// Repeated returns the JSON pointers of repeated keys in a text, up to the number of warnings that are kept. The text must
// be JSON of bounded depth. The text is not decoded as a whole, so Repeated needs much less memory than decoding.
func Repeated(raw []byte) []string {
	var found []string
	var open []bracket // brackets that are open at the current place, with spare capacity
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
		case ':': // the string before a colon is the name of a member
			b := &open[depth]
			b.name = nameOf(raw[from:i])
			if b.names.add(b.name) == 2 && len(found) < maxWarnings {
				found = append(found, pointerOf(open[:depth+1]))
			}
		}
	}
	return found
}

// nameOf returns the content of the last string in written; blanks may follow the string.
func nameOf(written []byte) []byte {
	written = written[:bytes.LastIndexByte(written, '"')]
	var name string
	if !bytes.ContainsRune(written, '\\') || json.Unmarshal([]byte(`"`+string(written)+`"`), &name) != nil {
		return written
	}
	return []byte(name)
}

// maxPointer is the approximate maximum length of a JSON pointer in bytes. Without this limit, the long name of an object
// would be copied into the pointer of each repeated member in it.
const maxPointer = 4096

// pointerOf returns the JSON pointer of the member that is being read. open holds the objects and lists around that member,
// the outermost first. If the pointer is longer than maxPointer, pointerOf returns the pointer of an object or list around
// the member.
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

// bracket is an open object or list.
type bracket struct {
	list  bool
	item  int    // index of the current item, in a list
	name  []byte // name of the current member, in an object
	names names
}

func (b *bracket) begin(list bool) {
	b.list, b.item, b.name = list, 0, nil
	b.names.clear()
}

// names counts the names in one object.
type names struct {
	few   [][]byte
	times [fewNames]int
	many  map[string]int // count of each name; used when an object has too many names for the field few
}

// The maximum number of names that are compared one by one, and the maximum number of names in a map that is used again. A larger
// map is not used again, because clearing it takes time.
const (
	fewNames  = 16
	mostReuse = 1000
)

// add counts a name and returns how often it has occurred.
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
