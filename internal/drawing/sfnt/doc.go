// Package sfnt reads the table directories of untrusted font files. It computes how large a font is when unpacked, before
// anything unpacks it, and converts WOFF 2 to TrueType or OpenType within a size limit.
package sfnt
