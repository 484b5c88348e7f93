// Package lint finds what is wrong in the JSON of a movie, has no effect, or may surprise. For most problems it tells what
// to change. POST /movies/validate, `moviola validate` and the warnings of a movie use it.
//
// It combines the knowledge of other packages: jsontext finds syntax errors; the table of properties of domain/document has
// names, types and ranges (table.go); notes made while a movie is read and laid out tell how it is rendered (note.go). This
// package adds problems that are found only in the whole movie (movie.go). The position of a problem is one in the JSON that
// the user wrote: the body, or a saved template.
//
// The package changes nothing and refuses nothing; other packages decide whether a movie is accepted (decision 22).
package lint
