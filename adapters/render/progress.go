package render

import (
	"sync"
	"time"
)

// progressPause is the shortest time between two reports.
const progressPause = 250 * time.Millisecond

// progress counts the encoded frames of all windows and reports the percentage: it only grows, is not reported too often, and
// reaches 100 only at the end.
type progress struct {
	total  int64
	report func(percent float64)
	now    func() time.Time

	mu   sync.Mutex
	done int64
	last time.Time
	told float64
}

// almost is the percentage that is reported when all frames are encoded. The movie is still to be joined and checked.
const almost = 99

// add counts encoded frames.
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

// counter counts the frames of one window. It is told the number of frames encoded so far, which starts from 0 again when a run
// is repeated.
type counter struct {
	to      *progress
	frames  int64
	counted int64
}

// reached adds to the progress the frames that were not counted before; frames is the number encoded so far. Only one goroutine
// may call it.
func (c *counter) reached(frames int64) {
	if frames = min(frames, c.frames); frames > c.counted {
		c.to.add(frames - c.counted)
		c.counted = frames
	}
}
