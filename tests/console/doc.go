// Package console opens the console of the built program in a real browser: signing in, writing, rendering, signing out, what
// strangers' texts do there, and what people who cannot see it find. It is a module of its own, for the program needs no driver
// of a browser.
package console
