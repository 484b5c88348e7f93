// Package h264 lengthens H.264 streams of x264 by pictures that look like the one before them, without an encoder.
//
// Such a picture is one P slice in which every macroblock is skipped: at 1080p some seventy bytes, equal but for a few fields. It
// is no reference, so nothing that follows depends on it: decoders may even drop it. What follows is decoded exactly as before;
// only its place in the order of display moves. That place is written in the header of each slice with as many bits as the
// stream's parameters say. x264 takes six, too few for a long rest, so that the parameters and all headers are written anew with
// sixteen. The data of the slices is not touched.
//
// Bidirectional pictures may not use the distances of display for their weights: an encoder that writes for this package is told
// so (x264: weightb=0).
//
// The package knows what x264 writes, and nothing more. Anything else is ErrUnknown, and the caller encodes without it.
package h264
