package assets

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync/atomic"
	"time"
)

// Decision 54: a body that runs below leastSpeed bytes a second for slowFor seconds is given up.
const (
	leastSpeed = 10_000
	slowFor    = 20
)

// errSlow is why a request is ended whose body comes too slowly.
var errSlow = errors.New("the body comes too slowly")

// paced is the body of an answer that is watched while it is read.
type paced struct {
	io.ReadCloser
	read atomic.Int64
	stop chan struct{}
}

// watch returns the body of an answer, and ends its request with errSlow when it comes too slowly. It counts from the answer's
// header on, by seconds in which this process runs: one that was stopped blames nobody. Closing the body ends the watch.
func watch(body io.ReadCloser, end context.CancelCauseFunc) io.ReadCloser {
	p := &paced{ReadCloser: body, stop: make(chan struct{})}
	go p.watch(end)
	return p
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.read.Add(int64(n))
	return n, err
}

// Close implements io.Closer. It must be called once.
func (p *paced) Close() error {
	close(p.stop)
	return p.ReadCloser.Close()
}

func (p *paced) watch(end context.CancelCauseFunc) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var seconds [slowFor]int64 // what came in each of the last ones
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

// tooSlow is what the client is told of a source that came too slowly.
func tooSlow(target *url.URL) error {
	return failed(target, "it comes too slowly: less than 10 kB/s for 20 seconds")
}
