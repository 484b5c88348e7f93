package document

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"moviola/domain/expand"
	"moviola/domain/expr"
)

// Known is what is found out about a movie after its JSON was read.
type Known struct {
	// Natural is how long sources are; nil: no length is known.
	Natural NaturalFunc
	// Values are variables from outside, by name, for the whole movie: what preloads have come to. The movie's own variables go before
	// them. An expr.Pending one will be known later.
	Values map[string]any
}

// How often elements can take their times from others that do the same, and how many scenes and elements can be laid out anew for it, each
// counted as often as that is done.
const (
	maxRounds = 64
	maxLaid   = 20_000
)

// dynamicMarks are what every movie with variables, conditions or iterations has in its JSON. The last one begins letters in disguise.
var dynamicMarks = [][]byte{
	[]byte("{{"), []byte(`"condition"`), []byte(`"iterate`), []byte(`"import"`), []byte(`\u00`),
}

// isDynamic says whether a document has to be expanded.
func isDynamic(raw []byte) bool {
	for _, mark := range dynamicMarks {
		if bytes.Contains(raw, mark) {
			return true
		}
	}
	return false
}

// MayGrow says whether reading a document may take much more memory than its length tells: it has variables or iterations, or names templates.
func MayGrow(raw []byte) bool { return isDynamic(raw) || bytes.Contains(raw, []byte(`"template`)) }

// Grown is about how much memory the filled-in movie takes, in bytes; 0: it has nothing to be filled in.
func (m *Movie) Grown() int64 { return m.grown }

// Waits says that something in the movie depends on what was not known when it was read: the lengths of sources, or variables from
// outside. Until it is resolved, such properties are absent, and elements whose condition depends on it are not there.
func (m *Movie) Waits() bool { return len(m.open) > 0 }

// Resolve reads the movie again with what is known now. A movie without variables is returned as it is. An error is a *domain.Error.
func (m *Movie) Resolve(known Known) (*Movie, error) {
	if m.source == nil {
		return m, nil
	}
	next, err := expanded(m.source, known)
	if err != nil {
		return nil, err
	}
	for _, warning := range m.repeated {
		next.note(Note{Code: PropertyRepeated, Text: warning, Bare: true})
	}
	next.repeated = m.repeated
	return next, nil
}

// CheckResolved returns the mistake, a *domain.Error, of a movie that still waits although all is known: its times depend on each
// other in a circle.
func CheckResolved(m *Movie) error {
	if !m.Waits() {
		return nil
	}
	places := slices.SortedFunc(maps.Keys(m.open), func(a, b expand.Place) int {
		return cmp.Or(cmp.Compare(a.Scene, b.Scene), cmp.Compare(a.Element, b.Element))
	})
	return Note{Ref: m.refOf(places[0]), Text: "Its times or variables depend on each other in a circle"}.Err()
}

// expanded reads a movie whose variables are filled in. Elements may take their times from those of others: it is laid out and
// expanded again until nothing changes any more.
func expanded(tree map[string]any, known Known) (*Movie, error) {
	if known.Natural == nil {
		known.Natural = func(string) (Seconds, bool) { return Seconds{}, false }
	}
	budget := expand.NewBudget()
	var times *expand.Times
	laid := 0
	for round := 0; ; round++ {
		result, err := expand.Expand(tree, expand.Known{Values: known.Values, Times: times}, budget)
		if err != nil {
			return nil, err
		}
		m := readMovie(result.Tree)
		m.source, m.grown = tree, result.Size
		m.take(result)
		if len(result.Asked) == 0 {
			return m, nil
		}
		next := timesOf(m, known.Natural, result.Asked)
		if next.Equal(times) {
			return m, nil
		}
		if laid += m.size(); round == maxRounds || laid > maxLaid {
			circle := Note{Code: TimingInvalid, Fatal: true, Text: tangled}
			m.notes = append([]Note{circle}, m.notes...)
			return m, nil
		}
		times = next
	}
}

// tangled is the mistake of a movie whose times are not settled within the bounds.
const tangled = "The times of elements depend on each other in a circle, over more than 64 steps, or over too many steps for so many elements"

// size is the number of scenes and elements.
func (m *Movie) size() int {
	n := len(m.Scenes) + len(m.Elements)
	for i := range m.Scenes {
		n += len(m.Scenes[i].Elements)
	}
	return n
}

// take notes what came out of an expansion. What is still open may lack properties, and is not blamed for it.
func (m *Movie) take(result expand.Result) {
	m.open = result.Open
	m.from = result.From
	read := m.notes
	m.notes, m.Warnings = nil, nil
	for _, p := range result.Problems {
		m.note(Note{Ref: m.refOf(p.Place), Path: p.Path, From: p.From, Code: ExpressionInvalid, Fatal: true, Text: p.Text})
	}
	for _, w := range result.Warnings {
		m.note(Note{Ref: m.refOf(w.Place), Path: w.Path, From: w.From, Code: VariableUndefined, Text: w.Text, Bare: true})
	}
	for _, n := range read {
		n.From = m.from[expand.Place{Scene: n.Ref.Scene, Element: n.Ref.Element}]
		if !n.Fatal || !m.isOpen(n.Ref) {
			m.note(n)
		}
	}
}

// MadeOf is the object of the document that a scene or element was made of; nil when it is the one of its number.
func (m *Movie) MadeOf(ref Ref) map[string]any {
	return m.from[expand.Place{Scene: ref.Scene, Element: ref.Element}]
}

func (m *Movie) isOpen(ref Ref) bool {
	return m.open[expand.Place{Scene: ref.Scene, Element: ref.Element}]
}

// refOf is the reference of an element, with its type for messages.
func (m *Movie) refOf(place expand.Place) Ref {
	for e := range m.All() {
		if e.Ref.Scene == place.Scene && e.Ref.Element == place.Element {
			return e.Ref
		}
	}
	return Ref{Scene: place.Scene, Element: place.Element}
}

// timesOf is when the elements of some ids are shown. What sources of unknown length, or properties that are still open, can move is
// pending.
func timesOf(m *Movie, natural NaturalFunc, ids map[string]bool) *expand.Times {
	open := false
	short := Time(m, func(key string) (Seconds, bool) {
		length, known := natural(key)
		open = open || !known
		return length, known
	})
	long := short
	if late := m.stretched(); open || late != m {
		long = Time(late, func(key string) (Seconds, bool) {
			if length, known := natural(key); known {
				return length, true
			}
			return SecondsOf(veryLong), true
		})
	}
	t := &expand.Times{ByID: map[string][]expand.Time{}}
	add := func(elements []Element, scene int, short, long []Span, offset, longOffset Seconds) {
		for i := range elements {
			e := &elements[i]
			if !ids[e.ID] {
				continue
			}
			a, b := short[i], long[i]
			ownA, ownB := Span{a.Start.Sub(offset), a.End.Sub(offset)}, Span{b.Start.Sub(longOffset), b.End.Sub(longOffset)}
			t.ByID[e.ID] = append(t.ByID[e.ID], expand.Time{
				Scene: scene, Start: settled(ownA.Start, ownB.Start), End: settled(ownA.End, ownB.End),
				From: settled(a.Start, b.Start), Till: settled(a.End, b.End),
				Duration:  settled(shownFor(e, a), shownFor(e, b)),
				ExtraTime: settled(e.ExtraTime, e.ExtraTime),
			})
		}
	}
	for i, scene := range m.Scenes {
		add(scene.Elements, scene.Number, short.SceneElements[i], long.SceneElements[i], short.Scenes[i].Start, long.Scenes[i].Start)
	}
	add(m.Elements, 0, short.Elements, long.Elements, Seconds{}, Seconds{})
	return t
}

// shownFor is how long an element is shown, without its extra time.
func shownFor(e *Element, s Span) Seconds { return s.End.Sub(s.Start).Sub(e.ExtraTime).Max(Seconds{}) }

// veryLong is longer than any source, in seconds: what stays the same with it does not depend on the source.
const veryLong = 24 * 3600

// settled is a time as a value of an expression, pending unless it is the same either way.
func settled(short, long Seconds) any {
	if !short.Equal(long) {
		return expr.Pending{}
	}
	return expr.JSON(short.Float())
}

// stretched is the movie with everything that is open very late and very long.
func (m *Movie) stretched() *Movie {
	if !m.Waits() {
		return m
	}
	late := *m
	late.Elements = m.stretchedElements(m.Elements)
	late.Scenes = append([]Scene(nil), m.Scenes...)
	for i := range late.Scenes {
		scene := &late.Scenes[i]
		scene.Elements = m.stretchedElements(scene.Elements)
		if m.isOpen(Ref{Scene: scene.Number}) {
			scene.Length = Length{Kind: Fixed, Value: SecondsOf(veryLong)}
		}
	}
	return &late
}

func (m *Movie) stretchedElements(elements []Element) []Element {
	out := append([]Element(nil), elements...)
	for i := range out {
		if m.isOpen(out[i].Ref) {
			out[i].Start = out[i].Start.Add(SecondsOf(veryLong))
			out[i].Length = Length{Kind: Fixed, Value: SecondsOf(veryLong)}
		}
	}
	return out
}
