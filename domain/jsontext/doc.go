// Package jsontext finds places in a JSON text: where it stops being JSON, and where the value of a JSON pointer (RFC 6901) stands.
//
// It reads the text once and keeps nothing of it but what is asked for, so that the cost does not depend on what the text says. Offsets
// are bytes from 0; lines and columns count from 1, columns in characters. It knows nothing about movies.
package jsontext
