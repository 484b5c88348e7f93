// Package style holds the tests that keep the shape of the code: which package may import which, and how large a file or a
// function may grow.
package style
