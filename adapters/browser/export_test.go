package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Budget returns a context that ends when limit has been counted. begin starts the counting; pauses stops it until the
// function that it returns is called; end releases the context.
func Budget(ctx context.Context, limit time.Duration, busy func() time.Duration) (
	counted context.Context, begin func(), pauses func(renew bool) func(), end func(),
) {
	b, end := withBudget(ctx, limit, busy)
	return b, b.begin, func(renew bool) func() { return pause(b, renew) }, end
}

// NeedsNamespaces tells whether a level rests on user namespaces: the jail's own, or those of Chromium's sandbox.
func NeedsNamespaces(level int) bool { return levels[level].network() || levels[level].sandbox }

// Explain is what becomes of a page whose browser has ended for a cause, with memory used up or not.
func Explain(ctx context.Context, cause, err error, outOfMemory bool) error {
	ended := make(chan struct{})
	close(ended)
	return (&browser{process: &process{ended: ended, outOfMemory: outOfMemory}, cause: cause}).explain(ctx, err)
}

// The causes for which browsers end.
var (
	ErrCrashed = errCrashed
	ErrMemory  = errMemory
	ErrPipe    = errPipe
)

// Draw draws a page of a browser that leaves out the picture of its first frames. It returns the picture, and the times of all
// frames in milliseconds.
func Draw(ctx context.Context, without int, picture []byte) (drawn []byte, times []float64, err error) {
	asked, ask := io.Pipe()
	answers, answer := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r := bufio.NewReader(asked)
		for {
			raw, err := readMessage(r)
			if err != nil {
				return
			}
			var call struct {
				ID     int64
				Params struct{ FrameTimeTicks float64 }
			}
			if json.Unmarshal(raw, &call) != nil {
				return
			}
			times = append(times, call.Params.FrameTimeTicks)
			result := `{"hasDamage":true}`
			if len(times) > without {
				result = fmt.Sprintf(`{"hasDamage":true,"screenshotData":"%s"}`, base64.StdEncoding.EncodeToString(picture))
			}
			_, _ = fmt.Fprintf(answer, `{"id":%d,"result":%s}`+"\x00", call.ID, result) // draw misses an answer that is not written
		}
	}()
	t := &tab{conn: newConn(answers, ask, func(event) {}), clock: clock{last: -frameGap}}
	drawn, err = t.draw(ctx)
	_ = answer.Close() // ends the connection, and with it the goroutine above
	<-ended
	return drawn, times, err
}

// Levels are the names of the ways to confine a browser, the strictest first.
func Levels() []string {
	var names []string
	for _, l := range levels {
		names = append(names, l.name)
	}
	return names
}

// SetLevel makes a pool begin with a less strict way.
func (p *Pool) SetLevel(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.level = i
}

// Level is the index of the way that has worked, or of the one to begin with.
func (p *Pool) Level() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}

// Uninvited is how often browsers have asked for something that no page had asked for.
func (p *Pool) Uninvited() int64 { return p.uninvited.Load() }

// Processes are those of all browsers that run, the first of each browser first.
func (p *Pool) Processes() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []int
	for b := range p.running {
		all = append(all, family(b.process.pid)...)
	}
	return all
}
