// Package browser draws web pages, such as the html elements of movies: as still pictures and as frames of their
// animations. It also draws SVG drawings.
//
// It runs a few headless Chromium processes, started on demand, each of which shows one page at a time in a profile of its
// own. Pages are untrusted programs. Chromium therefore runs as nobody, in namespaces, under Landlock and with its own
// sandbox on, each as far as the configuration and this machine allow it. Requests of pages to the network go to the
// egress proxy of this package, which uses the guarded dial function. A page ends when it exceeds its time or memory; when
// it exceeds its bytes, its connections fail. Browsers end with this process.
//
// Time in a page is virtual. It advances only when this package lets it: on one machine, two captures of a page are as a
// rule equal to the byte, even if the machine is busy, if their Page.Now is the same and the page reads nothing random,
// from the network or from crypto.
package browser
