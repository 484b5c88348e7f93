// Package jsontext finds positions in a JSON text: the first syntax error, and the value of a JSON pointer (RFC 6901).
//
// It does not decode the text as a whole, and stores little more than what the caller asks for. Offsets are bytes from 0;
// lines and columns are counted from 1, columns in characters. The package knows nothing about movies.
package jsontext
