package document

import (
	"strings"

	"moviola/domain"
)

// problem is a mistake in the document that ends the render.
type problem struct {
	ref  Ref
	text string
}

// Validate returns the first mistake that makes the movie impossible to render, as a *domain.Error naming scene and element.
// Decision 22: such mistakes are render errors, not refusals.
func Validate(m *Movie) error {
	if len(m.problems) == 0 {
		return nil
	}
	return m.problems[0].err()
}

func (p problem) err() error {
	if p.ref == (Ref{}) {
		return domain.Errorf(domain.Invalid, "movie_invalid", "%s", p.text)
	}
	return ElementError(p.ref, p.text)
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
