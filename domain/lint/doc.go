// Package lint finds everything in the JSON of a movie that is wrong, has no effect, or may surprise. For each problem it
// tells what to change. POST /movies/validate, `moviola validate` and the warnings of a movie use it.
//
// It combines the knowledge of other packages: jsontext finds syntax errors; the table of properties of domain/document has
// names, types and ranges (table.go); notes made while a movie is read and laid out tell how it is rendered (note.go). This
// package adds problems that are found only in the whole movie (movie.go). Every problem has a position in the JSON that the
// user wrote: the body, or a saved template.
//
// The package changes nothing and refuses nothing; other packages decide whether a movie is accepted (decision 22).
package lint
