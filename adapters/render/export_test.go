package render

import (
	"time"

	"moviola/adapters/render/artwork"
	"moviola/domain/caption"
)

// Progress counts the finished frames of all windows.
type Progress = progress

// NewProgress counts towards total frames, by the given clock.
func NewProgress(total int64, report func(float64), now func() time.Time) *Progress {
	return &progress{total: total, report: report, now: now}
}

// Window returns a function that is told how many frames of one window are finished so far.
func (p *progress) Window(frames int64) func(int64) { return (&counter{to: p, frames: frames}).reached }

// End reports 100 per cent.
func (p *progress) End() { p.end() }

// SetDecodeTimes sets the time limits of the search for a damaged source.
func (e *Engine) SetDecodeTimes(stall, limit time.Duration) {
	e.decodeStall, e.decodeLimit = stall, limit
}

// Stretches are the parts, in seconds, in which a sound of such peaks, 100 a second, is heard.
func Stretches(peaks []float32) [][2]float64 {
	var all [][2]float64
	for _, s := range stretches(&artwork.Envelope{Peaks: peaks}) {
		all = append(all, [2]float64{s.from, s.to})
	}
	return all
}

// Moved puts words of a stretch that begins and ends at these seconds on the movie's time.
func Moved(from, to float64, words []caption.Word) []caption.Word {
	return stretch{from, to}.moved(words)
}

// SoundEncoder are the arguments the sound is encoded with.
var SoundEncoder = soundEncoder

// BlameMemory replaces the error of a killed program by commands.ErrOutOfMemory, if the counts before and after it say so.
var BlameMemory = blameMemory
