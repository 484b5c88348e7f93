// Package h264 extends H.264 streams of x264, without an encoder, by pictures that repeat the one before them, or fade it
// by weights.
//
// Such a picture is one P slice in which every macroblock is skipped. At 1080p it has about seventy bytes, which are the
// same for all repeats except for a few fields. It is not a reference, so no other picture depends on it: decoders may
// even drop it. All other pictures are decoded exactly as before; only their position in the display order changes. The
// header of each slice contains this position, in a number of bits that the stream's parameters give. x264 usually uses
// six bits, too few for a long rest (a sequence of equal pictures), so the parameters and all headers are rewritten with
// sixteen. The data of the slices is not changed.
//
// Bidirectional pictures must not derive weights from display distances: the encoder must be configured so (x264:
// weightb=0).
//
// The package supports only streams of the form that x264 writes. For a stream of another form it returns an error that
// wraps ErrUnknown. The caller then has more pictures encoded, in the end all of them.
package h264
