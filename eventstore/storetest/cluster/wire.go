package cluster

import (
	"errors"
	"net"
	"sync"
)

// state is the state of a node's process.
type state int

const (
	running state = iota
	frozen        // stopped, with its connections open
	lost          // ended: its connections are cut
)

// wire holds a node's connections. By the node's state, it passes their bytes on, holds them back, or cuts the connections.
type wire struct {
	mu      sync.Mutex
	state   state
	changed chan struct{} // closed at the next change
	conns   map[*wiredConn]bool
}

func newWire() *wire { return &wire{changed: make(chan struct{}), conns: map[*wiredConn]bool{}} }

// set changes the state. Connections of a lost node are cut.
func (w *wire) set(s state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = s
	close(w.changed)
	w.changed = make(chan struct{})
	if s != lost {
		return
	}
	for conn := range w.conns {
		_ = conn.Conn.Close() // the peer sees the end, even after an error
	}
	clear(w.conns)
}

// wiredListener accepts connections for a node; it closes those to a lost node at once.
type wiredListener struct {
	net.Listener
	wire *wire
}

func (l *wiredListener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := &wiredConn{Conn: inner, wire: l.wire, closed: make(chan struct{})}
		l.wire.mu.Lock()
		gone := l.wire.state == lost
		if !gone {
			l.wire.conns[conn] = true
		}
		l.wire.mu.Unlock()
		if !gone {
			return conn, nil
		}
		_ = inner.Close() // the peer sees the end, even after an error
	}
}

// wiredConn is a connection that blocks while the node is frozen.
type wiredConn struct {
	net.Conn
	wire   *wire
	once   sync.Once
	closed chan struct{}
}

var errCut = errors.New("the node is lost")

// wait blocks while the node is frozen.
func (c *wiredConn) wait() error {
	for {
		c.wire.mu.Lock()
		s, changed := c.wire.state, c.wire.changed
		c.wire.mu.Unlock()
		switch s {
		case running:
			return nil
		case lost:
			return errCut
		}
		select {
		case <-changed:
		case <-c.closed:
			return net.ErrClosed
		}
	}
}

func (c *wiredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if waited := c.wait(); waited != nil {
		return 0, waited
	}
	return n, err
}

func (c *wiredConn) Write(b []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *wiredConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.wire.mu.Lock()
	delete(c.wire.conns, c)
	c.wire.mu.Unlock()
	return c.Conn.Close()
}
