// Package browser draws web pages, the html elements of movies: as still pictures and as exact frames of their animations.
//
// It runs a few headless Chromium processes, started on demand, each of which shows one page at a time in a profile of its own.
// Pages are untrusted programs. Chromium therefore runs as nobody, in namespaces and under Landlock if the kernel supports them,
// with its own sandbox on. Its only network is the egress proxy of this package, which uses the guarded dial function. A page
// ends when it exceeds its time, memory or bytes, and browsers end with this process.
//
// Time in a page is virtual. It advances only when a frame is requested: two captures of a page are equal to the byte, however
// busy the machine is, unless the page reads something random from the network.
package browser
