// Package lint finds everything in the JSON of a movie that is wrong, has no effect, or may surprise, and says for each what to
// change. POST /movies/validate, `moviola validate` and the warnings of a movie use it.
//
// It combines the knowledge of other packages: jsontext finds syntax errors; the table of properties of domain/document has
// names, types and ranges (table.go); notes made while a movie is read and laid out tell how it is rendered (note.go). This
// package adds problems that only the whole movie shows (movie.go). Every problem has a position in the JSON that the user wrote:
// the body, or a saved template.
//
// It changes nothing and refuses nothing: whether a movie is accepted is decided elsewhere (decision 22).
package lint
