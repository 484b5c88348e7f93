// Package entry decides who may connect to the embedded event store. It opens the listener, reads certificates and users, and
// asks callers for a password or for the pass of the socket. It also answers the requests that clients send before they
// authenticate.
package entry
