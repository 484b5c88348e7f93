// Package sfnt reads the directories of untrusted font files: how large a font is when unpacked, before anything unpacks it, and
// WOFF 2 turned into TrueType or OpenType within a bound.
package sfnt
