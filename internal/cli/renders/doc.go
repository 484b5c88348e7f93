// Package renders has the commands that render a movie on this machine, without a service.
package renders
