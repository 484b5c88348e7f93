// Package lint finds everything that is wrong, vain or surprising in the JSON of a movie, and says for each what to change: the engine
// behind POST /movies/validate, `moviola validate` and the warnings of a movie.
//
// It joins what others know. jsontext tells where a text stops being JSON; the table of properties of domain/document tells names, types
// and ranges (table.go); the notes of reading and laying out tell what becomes of the movie (note.go); this package adds what only the
// whole movie shows (movie.go). Every finding leads to a place in the JSON that the user wrote: the body, or a saved template.
//
// It changes nothing and refuses nothing: whether a movie is accepted is decided elsewhere (decision 22).
package lint
