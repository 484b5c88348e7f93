// Package app turns the parts into a service: wiring, start and shutdown. It holds no rules.
package app
