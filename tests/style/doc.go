// Package style holds the tests that keep the shape of the code, such as which package may import which, and how large a
// file or a function may grow; and those that hold its words and citations against the documents.
package style
