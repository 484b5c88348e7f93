// Package browser draws web pages: the html elements of movies, as stills and as exact frames of their animations.
//
// It keeps a few headless Chromium processes, started when the first page asks for one, each of which shows one page at a time in
// a profile of its own. The pages are strangers' programs. Chromium therefore runs as nobody, in namespaces and under Landlock
// where the kernel offers them, with its own sandbox on, and has no network but the egress of this package, which dials with
// the function it was given: the guarded one. Whatever a page does, it ends with its time, its memory or its bytes, and the
// browser ends with this process.
//
// Time in a page is virtual. It passes only when a frame is asked for, so that two captures of a page that reads nothing random
// from the network are equal to the byte, however busy the machine is.
package browser
