// Package host is what a process is to its machine: the mark by which processes of one data folder know each other, the evidence
// of how a process ended, the limits of its runtime, and a start anew.
package host
