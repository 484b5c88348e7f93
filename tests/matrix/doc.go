// Package matrix asks every route of the assembled service with every kind of caller about every kind of subject, and checks the
// answer to the letter, and that what was refused or only read has changed nothing.
//
// The routes come from the program itself. A route that needs a key must have a row here (rows_test.go), or the test fails: a
// package that serves something new adds a file with its rows and names them in rows. What a row says is only what those are
// answered who may: the refusals follow from the route's role. The rows of movies and keys are examples to imitate.
package matrix
