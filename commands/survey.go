package commands

import (
	"context"

	"moviola/domain/document"
)

// Surveyor lays movies out without their sources. It is safe for concurrent use.
type Surveyor interface {
	// Survey returns what is found out, and in sentences what is not: it ends early when it costs too much. exact says that the
	// times of the movie do not depend on its sources.
	Survey(ctx context.Context, m *document.Movie, exact bool) Survey
}

// Survey is what laying out a movie finds.
type Survey struct {
	Notes     []document.Note
	Unchecked []string
	Err       error // a *domain.Error with which the render fails
}
