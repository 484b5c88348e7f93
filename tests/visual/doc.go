// Package visual renders every visual property of a movie and compares the frames with sheets that were looked at and found good.
// `go test ./tests/visual -update` draws the sheets anew: look at each before it is committed.
package visual
