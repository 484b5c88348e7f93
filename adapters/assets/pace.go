package assets

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Decision 54: a body that is slower than leastSpeed bytes per second over slowFor seconds is given up.
const (
	leastSpeed = 10_000
	slowFor    = 20
)

// errSlow says that a request was cancelled because its body came too slowly.
var errSlow = errors.New("the body comes too slowly")

// paced is the body of a response whose speed is measured.
type paced struct {
	io.ReadCloser
	read atomic.Int64
	stop chan struct{}
	once sync.Once // closes stop
}

// watch returns the body of a response, and cancels its request with errSlow when the body is too slow. It measures from the
// response's header on, in seconds in which this process runs: time in which the process was stopped does not count. The
// measurement ends with the body, or when the body is closed.
func watch(body io.ReadCloser, end context.CancelCauseFunc) io.ReadCloser {
	p := &paced{ReadCloser: body, stop: make(chan struct{})}
	go p.watch(end)
	return p
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.read.Add(int64(n))
	if err != nil {
		p.end()
	}
	return n, err
}

// Close implements io.Closer.
func (p *paced) Close() error {
	p.end()
	return p.ReadCloser.Close()
}

// end ends the measurement.
func (p *paced) end() { p.once.Do(func() { close(p.stop) }) }

func (p *paced) watch(end context.CancelCauseFunc) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var seconds [slowFor]int64 // bytes of the body read in each of the last slowFor seconds
	var last int64
	for tick := 1; ; tick++ {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
		all := p.read.Load()
		seconds[tick%slowFor], last = all-last, all
		var sum int64
		for _, bytes := range seconds {
			sum += bytes
		}
		if tick >= slowFor && sum < leastSpeed*slowFor {
			end(errSlow)
			return
		}
	}
}

// tooSlow is the client's error for a source that came too slowly.
func tooSlow(target *url.URL) error {
	return failed(target, "it comes too slowly: less than 10 kB/s for 20 seconds")
}
