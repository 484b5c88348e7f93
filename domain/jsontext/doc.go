// Package jsontext finds positions in a JSON text: the first syntax error, and the value of a JSON pointer (RFC 6901).
//
// It reads the text once and stores only what the caller asks for, so that the cost does not depend on the content. Offsets
// are bytes from 0; lines and columns are counted from 1, columns in characters. The package knows nothing about movies.
package jsontext
