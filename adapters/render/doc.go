// Package render makes movies: it fetches the sources of a movie, has package timeline lay out its timeline, and runs
// ffmpeg to make what the timeline says. Every window of the timeline, or group of short windows, becomes a file, cached
// under a hash of what it is made from; the sound is made once for the whole movie; the parts are joined without encoding
// them again.
//
// It makes no decisions about the movie: a timeline.Timeline says what is shown when and where. No text of a client gets
// into an ffmpeg argument or filter: texts are drawn in Go or by a browser, and sources are local files named by their
// hash.
package render
