package harness

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Wire is a proxy on loopback that forwards TCP connections to a server. Tests can cut, hold and slow the connections.
type Wire struct {
	Addr   string // where clients connect
	target string

	listener net.Listener
	carried  sync.WaitGroup

	mu    sync.Mutex
	ended bool
	cut   bool
	pace  int           // bytes per second in each direction of a connection; 0: unbounded
	held  chan struct{} // closed when bytes may pass; nil: nothing is held
	conns map[net.Conn]bool
}

// NewWire starts a proxy to an address until the test ends.
func NewWire(t testing.TB, target string) *Wire {
	t.Helper()
	w := &Wire{Addr: FreeAddr(t), target: target, conns: map[net.Conn]bool{}}
	listener, err := net.Listen("tcp", w.Addr)
	if err != nil {
		t.Fatal(err)
	}
	w.listener = listener
	w.carried.Go(w.accept)
	t.Cleanup(w.close)
	return w
}

// Cut ends every connection and refuses new ones until Mend.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	w.drop()
}

// Hold keeps connections open and lets nothing pass until Mend.
func (w *Wire) Hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		w.held = make(chan struct{})
	}
}

// Slow limits the bytes per second in each direction of each connection until Mend.
func (w *Wire) Slow(pace int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pace = pace
}

// Mend ends the effects of Cut, Hold and Slow.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.pace = false, 0
	w.release()
}

func (w *Wire) release() {
	if w.held != nil {
		close(w.held)
		w.held = nil
	}
}

func (w *Wire) drop() {
	for conn := range w.conns {
		_ = conn.Close()
	}
	clear(w.conns)
}

func (w *Wire) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	w.ended = true
	w.release()
	w.drop()
	w.mu.Unlock()
	w.carried.Wait()
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		w.carried.Go(func() { w.carry(client) })
	}
}

// carry forwards one connection until a side ends it.
func (w *Wire) carry(client net.Conn) {
	server, err := net.Dial("tcp", w.target)
	if err != nil {
		_ = client.Close()
		return
	}
	if !w.keep(client, server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { w.copy(server, client) })
	both.Go(func() { w.copy(client, server) })
	both.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, client)
	delete(w.conns, server)
}

// keep remembers a pair of connections, or ends both when the wire is cut.
func (w *Wire) keep(pair ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range pair {
		if w.cut || w.ended {
			_ = conn.Close()
			continue
		}
		w.conns[conn] = true
	}
	return !w.cut && !w.ended
}

// copy forwards one direction. Its end also ends the other direction.
func (w *Wire) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			w.wait(n)
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return // the end of one direction is the end of both: HTTP/2 has no half-closed connections
		}
	}
}

// wait delays some bytes as the wire's state requires.
func (w *Wire) wait(n int) {
	w.mu.Lock()
	held, pace := w.held, w.pace
	w.mu.Unlock()
	if held != nil {
		<-held
	}
	if pace > 0 {
		<-time.After(time.Duration(n) * time.Second / time.Duration(pace))
	}
}
