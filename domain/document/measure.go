package document

import (
	"errors"
	"math"

	"moviola/domain"
)

// measure looks at the brackets and commas of a text, before anything is allocated for what it says, and refuses what is nested too deeply, has
// too many scenes or too many values. Decisions 24 and 57. What a free member holds is not decoded, and not counted. What is no JSON is left to
// who reads it.
func measure(raw []byte) error {
	return (&meter{what: "Movie JSON", scenesAllowed: maxScenes}).measure(raw)
}

// CheckSize is measure for JSON that is no movie, and has no scenes: the refusal, a *domain.Error of a code,
// names the text.
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

// meter is what of a text has been seen.
type meter struct {
	quoted bool
	from   int    // where the string at hand begins
	name   string // the last string of the top level: the key of what opens next
	depth  int
	values int // at most one less than there are, for each container
	scenes int
	inside bool // the list of scenes
	free   bool // a member that is kept as it is

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

// longestMember is the longest name that means something here.
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

// count takes one value, unless it is in a free member.
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
		return domain.Errorf(domain.Invalid, "movie_json_too_complex", "%s has more than %d values. Make it smaller.", m.what, maxValues)
	}
	return nil
}

func errTooManyScenes() error {
	return domain.Errorf(domain.Invalid, "movie_too_many_scenes", "Movie has more than the %d scenes allowed", maxScenes)
}
