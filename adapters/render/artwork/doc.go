// Package artwork draws the layers of a movie that need no ffmpeg: pictures, texts, components, web pages, waveforms and
// captions, with their effects but without their fades and without masks that are videos. It keeps web pages while they
// load, their pictures and captured films.
package artwork
