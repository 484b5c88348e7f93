// Package entry decides who may connect to the embedded event store: it opens the listener, reads certificates and users, asks
// callers for a password or for the pass of the socket, and answers what clients ask before they say who they are.
package entry
