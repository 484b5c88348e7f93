// Package examine determines what a fetched file is: it recognises the format by content, measures the file, refuses what is too
// large, and converts pictures that Go cannot decode or that would take too much memory.
package examine
