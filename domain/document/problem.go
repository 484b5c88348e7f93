package document

import (
	"strings"

	"moviola/domain"
)

// Note is a remark about a movie for its sender.
type Note struct {
	Ref   Ref
	Path  string // JSON pointer below the object that Ref names: "/chroma-key/color"; empty: the whole object
	Code  string // one of the codes of notes, such as PropertyMissing
	Fatal bool   // the movie cannot be rendered
	Text  string // message without the place
	// Remedy tells the client what to change; empty: the remedy follows from the code.
	Remedy string
	Bare   bool // Text already contains the place, or is about the whole movie
	// From is the object of the document from which the scene or element in Ref was made. It is set when the number in Ref
	// may differ from the object's position in the document, because something was repeated, imported or left out. nil: the
	// numbers are the same, or Ref is the movie.
	From map[string]any
}

// The codes of the notes of this package; packages timeline and text have further ones. They are stable: clients compare them.
const (
	PropertyMissing   = "property_missing"   // a required property is missing
	PropertyIdle      = "property_idle"      // the property has no effect in this object
	PropertyMisplaced = "property_misplaced" // the property belongs in another object
	PropertyRepeated  = "property_repeated"  // the property is repeated in its object
	ValueType         = "value_type"         // the value has the wrong type
	ValueRange        = "value_range"        // the number is out of range
	ValueUnknown      = "value_unknown"      // the word is not one of the accepted words
	ValueAdjusted     = "value_adjusted"     // another value is used instead
	ExpressionInvalid = "expression_invalid" // an expression cannot be computed
	VariableUndefined = "variable_undefined" // an expression names an unknown variable
	TimingInvalid     = "timing_invalid"     // times depend on each other in a circle
	Deprecated        = "deprecated"
)

// The maximum number of notes (see keeps), and the maximum number of warnings. Warnings are stored in an event, which must
// stay small.
const (
	maxNotes    = 2000
	maxWarnings = 50
)

// Notes returns the notes made while the movie was read.
func (m *Movie) Notes() []Note { return m.notes }

// note adds a note to the movie. It also adds a warning, unless the note is fatal.
func (m *Movie) note(n Note) {
	if m.keeps(n.Fatal) {
		m.notes, m.failed = append(m.notes, n), m.failed || n.Fatal
	}
	if !n.Fatal && len(m.Warnings) < maxWarnings {
		m.Warnings = append(m.Warnings, n.String())
	}
}

// keeps reports whether one more note is kept. Beyond maxNotes a fatal note is kept if no other one is.
func (m *Movie) keeps(fatal bool) bool { return len(m.notes) < maxNotes || fatal && !m.failed }

// String returns the text of the note with its place, as clients read it.
func (n Note) String() string {
	if n.Bare {
		return n.Text
	}
	return n.Ref.String() + ": " + n.Text
}

// Validate returns the first mistake that makes the movie impossible to render, as a *domain.Error that names scene and element.
// Decision 22: such mistakes are render errors, not refusals.
func Validate(m *Movie) error {
	for _, n := range m.notes {
		if n.Fatal {
			return n.Err()
		}
	}
	return nil
}

// Err converts a fatal note to a *domain.Error, with which the render ends.
func (n Note) Err() error {
	if n.Ref == (Ref{}) {
		return domain.Errorf(domain.Invalid, "movie_invalid", "%s", n.Text)
	}
	return ElementError(n.Ref, n.Text)
}

// ElementError returns a mistake of an element or scene as a *domain.Error that names its number and the element's type. Spec:
// Render errors.
func ElementError(ref Ref, text string) error {
	named := strings.Contains(text, "element type '"+ref.Type+"'") || strings.HasSuffix(text, " "+ref.Type+" element")
	if (seen[ref.Type] || heard[ref.Type]) && !named {
		text = strings.TrimSuffix(text, ".") + " (element type '" + ref.Type + "')"
	}
	return domain.Errorf(domain.Invalid, "element_invalid", "%s: %s", ref, text)
}
