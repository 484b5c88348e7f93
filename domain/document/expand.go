package document

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"moviola/domain/expand"
	"moviola/domain/expr"
)

// Known holds facts about a movie that were found out after its JSON was read.
type Known struct {
	// Natural returns the lengths of sources; nil: none is known.
	Natural NaturalFunc
	// Values are variables of the whole movie from outside of it, by name: the results of preloads. The movie's own variables
	// override them. The value expr.Pending means that the variable is not known yet.
	Values map[string]any
}

// The maximum number of rounds in which times that depend on other times are computed, and the maximum number of scenes and
// elements that all rounds together lay out.
const (
	maxRounds = 64
	maxLaid   = 20_000
)

// dynamicMarks are strings. Every movie that uses variables, conditions or iterations contains at least one of them. The
// last string begins a JSON escape, because letters of the other strings may be written as escapes.
var dynamicMarks = [][]byte{
	[]byte("{{"), []byte(`"condition"`), []byte(`"iterate`), []byte(`"import"`), []byte(`\u00`),
}

// isDynamic reports whether a document may have to be expanded.
func isDynamic(raw []byte) bool {
	for _, mark := range dynamicMarks {
		if bytes.Contains(raw, mark) {
			return true
		}
	}
	return false
}

// MayGrow reports whether a document may take much more memory than its length: it uses variables or iterations, or names
// templates.
func MayGrow(raw []byte) bool { return isDynamic(raw) || bytes.Contains(raw, []byte(`"template`)) }

// Grown returns the approximate memory of the movie after its variables were filled in, in bytes; 0: the movie has no
// variables.
func (m *Movie) Grown() int64 { return m.grown }

// Waits reports whether a part of the movie depends on facts that were not known when it was read, such as the lengths of
// sources, or variables from outside. Until Resolve gets these facts, properties that depend on them are absent, and
// elements whose condition depends on them are left out.
func (m *Movie) Waits() bool { return len(m.open) > 0 }

// Resolve reads the movie again with the facts in known. A movie without variables is returned unchanged. An error is a
// *domain.Error.
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

// CheckResolved returns a *domain.Error for a movie that still waits although all facts are known, because its times depend on
// each other in a circle.
func CheckResolved(m *Movie) error {
	if !m.Waits() {
		return nil
	}
	places := slices.SortedFunc(maps.Keys(m.open), func(a, b expand.Place) int {
		return cmp.Or(cmp.Compare(a.Scene, b.Scene), cmp.Compare(a.Element, b.Element))
	})
	return Note{Ref: m.refOf(places[0]), Text: "Its times or variables depend on each other in a circle"}.Err()
}

// expanded reads a movie and fills in its variables. The times of elements may depend on the times of other elements, so it
// lays out and expands the movie again until nothing changes or a bound is reached.
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

// tangled is the message for a movie whose times do not become stable within the bounds.
const tangled = "The times of elements depend on each other in a circle, over more than 64 steps, or over too many steps for " +
	"so many elements"

// size returns the number of the movie's scenes and elements.
func (m *Movie) size() int {
	n := len(m.Scenes) + len(m.Elements)
	for i := range m.Scenes {
		n += len(m.Scenes[i].Elements)
	}
	return n
}

// take stores the result of an expansion. It drops fatal notes on scenes and elements that still lack a property.
func (m *Movie) take(result expand.Result) {
	m.open, m.dropped = result.Open, result.Dropped
	m.from = result.From
	read := m.notes
	m.notes, m.failed, m.Warnings = nil, false, nil
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

// MadeOf returns the object of the document from which a scene or element was made. Nil: it was made from the object with the
// same number in the document.
func (m *Movie) MadeOf(ref Ref) map[string]any {
	return m.from[expand.Place{Scene: ref.Scene, Element: ref.Element}]
}

func (m *Movie) isOpen(ref Ref) bool {
	return m.open[expand.Place{Scene: ref.Scene, Element: ref.Element}]
}

// refOf returns the reference of an element, with its type for messages.
func (m *Movie) refOf(place expand.Place) Ref {
	for e := range m.All() {
		if e.Ref.Scene == place.Scene && e.Ref.Element == place.Element {
			return e.Ref
		}
	}
	return Ref{Scene: place.Scene, Element: place.Element}
}

// timesOf returns the times of the elements with the given ids. A time is pending when it depends on a source of unknown
// length, or on a property that is not known yet.
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

// shownFor returns the duration for which an element is shown, without its extra time.
func shownFor(e *Element, s Span) Seconds { return s.End.Sub(s.Start).Sub(e.ExtraTime).Max(Seconds{}) }

// veryLong stands for the length of a very long source, in seconds. A time that is the same for a source of this length and
// for one of length 0 is taken not to depend on the source.
const veryLong = 24 * 3600

// settled returns a time as a value for expressions. short and long are that time with sources of length 0 and with very long
// sources. The value is pending if they differ.
func settled(short, long Seconds) any {
	if !short.Equal(long) {
		return expr.Pending{}
	}
	return expr.JSON(short.Float())
}

// shrunk returns a copy of the movie in which scenes and elements that lack a property are as short as they may become.
func (m *Movie) shrunk() *Movie {
	if !m.Waits() {
		return m
	}
	short := *m
	short.Elements = m.shrunkElements(m.Elements)
	if m.isOpen(Ref{}) { // an element may be missing, whose length others take
		short.Elements = append(short.Elements, Element{Length: Length{Kind: undecided}})
	}
	short.Scenes = slices.Clone(m.Scenes)
	for i := range short.Scenes {
		scene := &short.Scenes[i]
		scene.Elements = m.shrunkElements(scene.Elements)
		ref := Ref{Scene: scene.Number}
		known := scene.Length.Kind == Fixed && m.MadeOf(ref)["transition"] == nil
		if m.isOpen(ref) && !known {
			scene.Length = Length{Kind: Fixed}
		}
	}
	return &short
}

func (m *Movie) shrunkElements(elements []Element) []Element {
	out := slices.Clone(elements)
	for i := range out {
		if m.isOpen(out[i].Ref) && out[i].Length.Kind == Unset {
			out[i].Length.Kind = undecided
		}
	}
	return out
}

// stretched returns a copy of the movie in which every property that is not known yet is set very late or very long.
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
