package render

import "time"

// The stages of a render that are measured.
const (
	stageSources   = "sources"   // what the movie names is brought to the local disk, spoken and generated
	stageLayout    = "layout"    // fonts and the plan
	stageWait      = "wait"      // for processors and memory, of each window
	stageWindow    = "window"    // of each window: drawing and encoding
	stageSound     = "sound"     // the mix
	stageJoin      = "join"      // of the windows to a file, and its check
	stageThumbnail = "thumbnail" // the picture beside the file
)

// timeStage begins to measure a stage. What it returns ends that.
func (r *run) timeStage(stage string) (end func()) {
	if r.job.Measured == nil {
		return func() {}
	}
	began := time.Now()
	return func() { r.job.Measured(stage, time.Since(began)) }
}

// countFrames tells where frames came from.
func (r *run) countFrames(encoded, cached int64) {
	if r.job.Frames != nil {
		r.job.Frames(encoded, cached)
	}
}
