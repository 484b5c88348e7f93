// Package host connects a process with its machine: the mark by which processes of one data folder recognise each other, the
// evidence of how a process ended, the settings of the Go runtime, and restarts.
package host
