package render

import (
	"sync"
	"time"
)

// progressPause is the shortest time between two reports.
const progressPause = 250 * time.Millisecond

// progress counts the finished frames of all windows, whether encoded, repeated or found in the cache, and reports the
// percentage: it only grows, is not reported too often, and reaches 100 only at the end.
type progress struct {
	total  int64
	report func(percent float64)
	now    func() time.Time

	mu   sync.Mutex
	done int64
	last time.Time
	told float64
}

// almost is the percentage that is reported when all frames are finished. The movie is still to be joined and checked.
const almost = 99

// add counts further finished frames.
func (p *progress) add(frames int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = min(p.done+frames, p.total)
	p.tell(almost*float64(p.done)/float64(p.total), false)
}

// end reports 100 per cent.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(100, true)
}

func (p *progress) tell(percent float64, now bool) {
	if p.report == nil || percent <= p.told || (!now && p.now().Sub(p.last) < progressPause) {
		return
	}
	p.told, p.last = percent, p.now()
	p.report(percent)
}

// counter counts the frames of one window. It is told the number of frames finished so far, which starts from 0 again when
// a run is repeated.
type counter struct {
	to      *progress
	frames  int64
	counted int64
}

// reached adds to the progress the frames that were not counted before; frames is the number finished so far. It must not
// be called by two goroutines at the same time.
func (c *counter) reached(frames int64) {
	if frames = min(frames, c.frames); frames > c.counted {
		c.to.add(frames - c.counted)
		c.counted = frames
	}
}
