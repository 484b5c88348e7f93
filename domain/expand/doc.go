// Package expand turns the tree of a movie's JSON into one without variables: expressions are computed, conditions decided, what iterates
// is repeated, imported scenes are filled in.
//
// It knows where expressions stand and what their names mean, not what a property does. The rules are those of docs/templates.md; the
// tree that is given is never changed, and what needs no change is shared by the result.
package expand
