// Package render makes movies: it fetches the sources of a movie, has the timeline lay it out, and runs the plan with ffmpeg.
// Every window of the plan becomes a file, cached under a hash of everything it is made from; the sound is made once for the
// whole movie; the parts are joined without encoding them again.
//
// It makes no decisions about the movie: a timeline.Timeline says what is shown when and where. No text of a client gets into an
// ffmpeg argument or filter: texts are drawn in Go, and sources are local files named by their hash.
package render
