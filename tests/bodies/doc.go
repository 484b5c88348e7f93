// Package bodies sends the worst bodies that are known to every endpoint that takes one, and holds what each costs the service against
// a bound of memory and one of processor time.
package bodies
