package document

import (
	"errors"
	"math"

	"moviola/domain"
)

// measure refuses the JSON of a movie that exceeds a bound of depth, scenes or values. checkShape counts the elements.
func measure(raw []byte) error {
	return (&meter{what: "Movie JSON", scenesAllowed: maxScenes}).measure(raw)
}

// CheckSize checks the depth and the number of values of JSON that is not a movie. The error is a *domain.Error with the given
// code. The argument what is the name of the JSON in the error's message.
func CheckSize(what, code string, raw []byte) error {
	err := (&meter{what: what, scenesAllowed: math.MaxInt}).measure(raw)
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return domain.Errorf(domain.Invalid, code, "%s", refusal.Message)
	}
	return err
}

func (m *meter) measure(raw []byte) error {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case m.quoted && c == '\\':
			i++
		case c == '"':
			m.quote(i, raw)
		case m.quoted:
		case c == '{' || c == '[':
			m.open(c)
		case c == '}' || c == ']':
			m.depth--
		case c == ',':
			m.next()
		}
		if err := m.refusal(); err != nil {
			return err
		}
	}
	return nil
}

// meter counts the values and scenes of a movie while measure reads its JSON byte by byte.
type meter struct {
	quoted bool
	from   int    // offset at which the current string begins
	name   string // the last string of the top level: the key of the next value; empty: it is longer than longestMember
	depth  int
	values int // number of values counted so far; may be too low by one for each container
	scenes int
	inside bool // the current byte is in the list of scenes
	free   bool // the current byte is in a member with free content, such as client-data: see freeMembers

	what          string
	scenesAllowed int
}

func (m *meter) quote(at int, raw []byte) {
	m.quoted = !m.quoted
	switch {
	case m.quoted:
		m.from = at + 1
	case m.depth == 1 && at-m.from <= longestMember:
		m.name = string(raw[m.from:at])
	case m.depth == 1:
		m.name = ""
	}
}

// longestMember is the length of the longest member name that measure looks for.
const longestMember = len("client-data")

func (m *meter) open(bracket byte) {
	if m.depth == 1 {
		m.inside = bracket == '[' && m.name == "scenes"
		m.free = freeMembers[m.name]
	}
	m.count()
	if m.depth == 2 && m.inside && m.scenes == 0 {
		m.scenes = 1
	}
	m.depth++
}

// count counts one value. Values inside a member that only the client uses, such as client-data, are not counted: see
// freeMembers.
func (m *meter) count() {
	if !m.free || m.depth < 2 {
		m.values++
	}
}

func (m *meter) next() {
	m.count()
	if m.depth == 2 && m.inside {
		m.scenes++
	}
}

func (m *meter) refusal() error {
	switch {
	case m.depth > maxDepth:
		return errTooDeep(m.what)
	case m.scenes > m.scenesAllowed:
		return errTooManyScenes()
	case m.values > maxValues:
		return domain.Errorf(domain.Invalid, "movie_json_too_complex", "%s has more than %d values. Make it smaller.", m.what,
			maxValues)
	}
	return nil
}

func errTooManyScenes() error {
	return domain.Errorf(domain.Invalid, "movie_too_many_scenes", "Movie has more than the %d scenes allowed", maxScenes)
}
