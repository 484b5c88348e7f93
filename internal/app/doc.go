// Package app wires a process of the service, starts it and shuts it down. It holds no rules.
package app
