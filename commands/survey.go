package commands

import (
	"context"

	"moviola/domain/document"
)

// Surveyor lays out movies without their sources. It is safe for concurrent use.
type Surveyor interface {
	// Survey returns the faults that it finds, and a sentence for each part that was not checked: checks beyond a budget of work are
	// left out. exact says whether the times of the movie are independent of its sources.
	Survey(ctx context.Context, m *document.Movie, exact bool) Survey
}

// Survey is the result of laying out a movie.
type Survey struct {
	Notes     []document.Note
	Unchecked []string
	Err       error // the *domain.Error with which a render would fail
}
