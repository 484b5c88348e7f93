// Package render makes movies: it fetches what a movie uses, has the timeline lay it out, and runs the plan with ffmpeg.
// Every window of the plan is a file of its own, found again by what went into it; the sound is made once for the
// whole movie; the parts are joined by copy.
//
// It decides nothing about the movie: what is shown when and where stands in the timeline.Plan. Nothing a client wrote
// reaches an ffmpeg argument or filter: text is drawn in Go, sources are local files named by their hash.
package render
