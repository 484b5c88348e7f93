// Package mp4file reads and writes the MP4 files of the renderer without starting a program. It lengthens windows by their held
// frames, writes silence, joins windows and sound to a movie, and compares the movie with its timeline.
package mp4file
