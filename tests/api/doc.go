// Package api holds the black-box tests of the HTTP interface: one row for each rule of the specification and its decisions, by
// the names of tests/rules.txt, against the built program. Every answer is held against the interface's own description.
package api
