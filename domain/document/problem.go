package document

import (
	"strings"

	"moviola/domain"
)

// Note is something about a movie that its sender should know.
type Note struct {
	Ref   Ref
	Path  string // JSON pointer below what Ref names: "/chroma-key/color"; empty: all of it
	Code  string // one of the codes below
	Fatal bool   // the movie cannot be rendered with it
	Text  string // without where it is
	// Remedy is what to change; empty: the code says enough.
	Remedy string
	Bare   bool // the text says itself where it is, or is about the whole movie
	// From is the scene or element of the document from which the one of Ref was made: itself, unless something was repeated, imported or left
	// out. Nil: it is the one of its number, or Ref is the movie.
	From map[string]any
}

// The codes of notes. They are stable: clients compare them.
const (
	PropertyMissing   = "property_missing"   // a property that the element cannot do without
	PropertyIdle      = "property_idle"      // it has no effect here
	PropertyMisplaced = "property_misplaced" // it belongs elsewhere
	PropertyRepeated  = "property_repeated"  // its object has it several times
	ValueType         = "value_type"         // the value is of another type than is read
	ValueRange        = "value_range"        // the number is too small or too large
	ValueUnknown      = "value_unknown"      // none of the words that are possible
	ValueAdjusted     = "value_adjusted"     // another value is used
	ExpressionInvalid = "expression_invalid" // an expression cannot be computed
	VariableUndefined = "variable_undefined" // an expression names what does not exist
	TimingInvalid     = "timing_invalid"     // times depend on each other in a circle
	Deprecated        = "deprecated"
)

// The bounds of what is kept: of notes, and of warnings. Those end up in an event, which must stay small.
const (
	maxNotes    = 2000
	maxWarnings = 50
)

// Notes are all that was found while the movie was read, in the order in which it was found.
func (m *Movie) Notes() []Note { return m.notes }

// note keeps a note. What is not fatal is a warning.
func (m *Movie) note(n Note) {
	if len(m.notes) < maxNotes {
		m.notes = append(m.notes, n)
	}
	if !n.Fatal && len(m.Warnings) < maxWarnings {
		m.Warnings = append(m.Warnings, n.String())
	}
}

// String is the note with its place, as clients read it.
func (n Note) String() string {
	if n.Bare {
		return n.Text
	}
	return n.Ref.String() + ": " + n.Text
}

// Validate returns the first mistake that makes the movie impossible to render, as a *domain.Error naming scene and element.
// Decision 22: such mistakes are render errors, not refusals.
func Validate(m *Movie) error {
	for _, n := range m.notes {
		if n.Fatal {
			return n.Err()
		}
	}
	return nil
}

// Err is a fatal note as the *domain.Error that ends the render.
func (n Note) Err() error {
	if n.Ref == (Ref{}) {
		return domain.Errorf(domain.Invalid, "movie_invalid", "%s", n.Text)
	}
	return ElementError(n.Ref, n.Text)
}

// ElementError is a mistake of an element or scene, as a *domain.Error that names its number and the element's type. Spec: Render
// errors.
func ElementError(ref Ref, text string) error {
	named := strings.Contains(text, "element type '"+ref.Type+"'") || strings.HasSuffix(text, " "+ref.Type+" element")
	if (seen[ref.Type] || heard[ref.Type]) && !named {
		text = strings.TrimSuffix(text, ".") + " (element type '" + ref.Type + "')"
	}
	return domain.Errorf(domain.Invalid, "element_invalid", "%s: %s", ref, text)
}
