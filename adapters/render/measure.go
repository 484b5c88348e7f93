package render

import "time"

// The measured stages of a render.
const (
	stageSources   = "sources"   // preparing preload items, and downloading, speaking and generating the sources
	stageLayout    = "layout"    // finding the fonts, laying out the timeline, and looking for texts that do not fit
	stageWait      = "wait"      // waiting for processors and memory, per window
	stageWindow    = "window"    // drawing and encoding, per window or per windows encoded together
	stageSound     = "sound"     // mixing the sound
	stageJoin      = "join"      // joining the windows to a file, and checking it
	stageThumbnail = "thumbnail" // making the thumbnail
)

// timeStage starts to measure a stage; the returned function stops it.
func (r *run) timeStage(stage string) (end func()) {
	if r.job.Measured == nil {
		return func() {}
	}
	began := time.Now()
	return func() { r.job.Measured(stage, time.Since(began)) }
}

// countFrames reports the numbers of encoded frames and of frames from the cache.
func (r *run) countFrames(encoded, cached int64) {
	if r.job.Frames != nil {
		r.job.Frames(encoded, cached)
	}
}
