package commands

import (
	"context"

	"moviola/domain/document"
)

// Surveyor lays out movies without their sources. It is safe for concurrent use.
type Surveyor interface {
	// Survey returns what it finds, and in sentences what it did not check: it stops early when the work exceeds its budget.
	// exact says that the times of the movie do not depend on its sources.
	Survey(ctx context.Context, m *document.Movie, exact bool) Survey
}

// Survey is the result of laying out a movie.
type Survey struct {
	Notes     []document.Note
	Unchecked []string
	Err       error // the *domain.Error with which a render would fail
}
