package commands

import (
	"moviola/domain/document"
)

// Survey is the result of laying out a movie.
type Survey struct {
	Notes     []document.Note
	Unchecked []string
	Err       error // the *domain.Error with which a render would fail; nil: none was found
}
