// Package examine determines what a fetched file is: it recognises the format by content, measures the file, refuses what
// cannot be used, such as what is too large, and converts pictures that Go cannot decode, or only with too much memory.
package examine
