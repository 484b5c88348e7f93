// Package faults runs a whole installation in roles, on real binaries, under a load that keeps its own journal, and breaks what
// can break: processes are killed, paused and replaced, connections cut, held and slowed, the event store's disk is filled. In
// the end the journal is held against what the installation says and against its log. docs/faults.md says what is promised and
// how to run it.
package faults
