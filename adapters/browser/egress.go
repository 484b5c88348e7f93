package browser

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxStreams     = 64 // largest number of concurrent connections of a page
	maxConnections = 1000
	connectTime    = 10 * time.Second
	headerTime     = 30 * time.Second
	silence        = 30 * time.Second // time limit of a read, of a write, and of an idle connection to the proxy
)

var errTooManyBytes = errors.New("the page loads too much")

// egress is the only network access of pages: an HTTP proxy that serves one page after another, dials with the guarded dialer,
// and counts bytes.
type egress struct {
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	server *http.Server
	served sync.WaitGroup

	mu   sync.Mutex
	page *traffic // traffic of the current page; nil: there is no page, and every request is refused
}

// traffic is the network usage of one page.
type traffic struct {
	ctx         context.Context // context of the page
	left        atomic.Int64    // number of bytes that the page may still transfer
	connections atomic.Int64
	streams     chan struct{}

	mu      sync.Mutex
	refused map[string]error // why hosts could not be reached, by host:port
}

// newEgress returns an egress, the proxy through which pages reach the network. It serves the listener port until port is
// closed. dial makes its connections.
func newEgress(port net.Listener, dial func(ctx context.Context, network, address string) (net.Conn, error)) *egress {
	e := &egress{dial: dial}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: headerTime, IdleTimeout: silence, MaxHeaderBytes: 64 << 10}
	e.served.Add(1)
	go func() {
		defer e.served.Done()
		_ = e.server.Serve(port) // Serve returns after the port was closed
	}()
	return e
}

// admit allows a page to transfer a number of bytes, until ctx ends or the next page is admitted.
func (e *egress) admit(ctx context.Context, bytes int64) *traffic {
	t := &traffic{ctx: ctx, streams: make(chan struct{}, maxStreams), refused: map[string]error{}}
	t.left.Store(bytes)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.page = t
	return t
}

func (e *egress) shut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.page = nil
}

func (e *egress) close() {
	e.shut()
	_ = e.server.Close()
	e.served.Wait()
}

// ServeHTTP forwards one request of the page.
func (e *egress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	page := e.page
	e.mu.Unlock()
	if page == nil || !page.enter() {
		hangUp(w)
		return
	}
	defer page.leave()
	if r.Method == http.MethodConnect {
		e.tunnel(w, r, page)
		return
	}
	e.forward(w, r, page)
}

// enter waits for a free connection of the page. false: the page has made too many requests, or has ended.
func (t *traffic) enter() bool {
	if t.connections.Add(1) > maxConnections {
		return false
	}
	select {
	case t.streams <- struct{}{}:
		return true
	case <-t.ctx.Done():
		return false
	}
}

func (t *traffic) leave() { <-t.streams }

// refusal returns why host:port could not be reached; nil: no connection to it has failed.
func (t *traffic) refusal(address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused[address]
}

// connect connects the page to address.
func (e *egress) connect(ctx context.Context, page *traffic, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := e.dial(ctx, "tcp", address)
	if err != nil {
		page.mu.Lock()
		defer page.mu.Unlock()
		if len(page.refused) < maxConnections {
			page.refused[address] = err
		}
		return nil, err
	}
	metered := &meteredConn{Conn: conn, page: page}
	// The end of a page closes its connections.
	metered.stop = context.AfterFunc(page.ctx, func() { _ = conn.Close() })
	return metered, nil
}

// tunnel serves CONNECT, which pages use for https and for WebSockets.
func (e *egress) tunnel(w http.ResponseWriter, r *http.Request, page *traffic) {
	far, err := e.connect(page.ctx, page, r.Host)
	if err != nil {
		http.Error(w, "not reachable", http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(far, buffered) // either side may close the tunnel; that is no failure
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	near.Close()
	<-sent
}

// hopByHop are headers that concern a single connection. The proxy does not pass them on.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// forward forwards a plain http request. If that fails it closes the connection: an error page of the proxy would be drawn as the
// page.
func (e *egress) forward(w http.ResponseWriter, r *http.Request, page *traffic) {
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		hangUp(w)
		return
	}
	road := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return e.connect(ctx, page, address)
		},
		DisableKeepAlives:      true,
		DisableCompression:     true, // the body is forwarded as it is
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: 64 << 10,
	}
	out := r.Clone(page.ctx)
	out.RequestURI = ""
	for _, name := range hopByHop {
		out.Header.Del(name)
	}
	answer, err := road.RoundTrip(out)
	if err != nil {
		hangUp(w)
		return
	}
	defer answer.Body.Close()
	for _, name := range hopByHop {
		answer.Header.Del(name)
	}
	header := w.Header()
	for name, values := range answer.Header {
		header[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	if err := pass(w, answer.Body); err != nil {
		hangUp(w) // the connection is closed, so that a truncated body is not taken for a complete one
	}
}

// pass copies a body and flushes each piece: a page may wait for the first event of a stream.
func pass(w http.ResponseWriter, body io.Reader) error {
	control := http.NewResponseController(w)
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
			if err := control.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// meteredConn is a connection whose bytes count as transferred by the page.
type meteredConn struct {
	net.Conn
	page *traffic
	stop func() bool
}

func (c *meteredConn) Read(p []byte) (int, error) {
	if err := c.Conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	return c.count(n, err)
}

func (c *meteredConn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	return c.count(n, err)
}

func (c *meteredConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

func (c *meteredConn) count(n int, err error) (int, error) {
	if c.page.left.Add(int64(-n)) < 0 {
		return n, errTooManyBytes
	}
	return n, err
}
