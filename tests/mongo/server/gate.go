package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// gate forwards connections to FerretDB and lets one request through at a time.
type gate struct {
	listener net.Listener
	inner    string
	turn     sync.Mutex // held from a request until its answer

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
	served sync.WaitGroup
}

// maxMessage is the largest message of the protocol, in bytes.
const maxMessage = 48_000_000

func openGate(listen, inner string) (*gate, error) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", listen, err)
	}
	g := &gate{listener: listener, inner: inner, open: make(map[net.Conn]bool)}
	g.served.Go(g.accept)
	return g, nil
}

func (g *gate) accept() {
	for {
		client, err := g.listener.Accept()
		if err != nil {
			return // closed
		}
		g.served.Go(func() { g.serve(client) })
	}
}

// serve forwards one connection until either side ends it.
func (g *gate) serve(client net.Conn) {
	server, err := net.Dial("tcp", g.inner)
	if err != nil {
		_ = client.Close()
		return
	}
	if !g.keep(client, server) {
		return
	}
	defer g.drop(client, server)
	for g.exchange(client, server) == nil {
	}
}

// exchange forwards a request and its answer. Clients that acknowledge their writes get an answer to every request.
func (g *gate) exchange(client, server net.Conn) error {
	request, err := readMessage(client)
	if err != nil {
		return err
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	if _, err := server.Write(request); err != nil {
		return err
	}
	answer, err := readMessage(server)
	if err != nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

// readMessage reads a whole message: the first four bytes are its length, themselves included.
func readMessage(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n < 16 || n > maxMessage {
		return nil, errors.New("not a message of MongoDB's protocol")
	}
	message := make([]byte, n)
	copy(message, length[:])
	_, err := io.ReadFull(r, message[4:])
	return message, err
}

// keep remembers a pair of connections, or closes it when the gate is closed.
func (g *gate) keep(pair ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, conn := range pair {
		if g.closed {
			_ = conn.Close()
			continue
		}
		g.open[conn] = true
	}
	return !g.closed
}

func (g *gate) drop(pair ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, conn := range pair {
		_ = conn.Close()
		delete(g.open, conn)
	}
}

// close ends all connections and waits for them.
func (g *gate) close() error {
	err := g.listener.Close()
	g.mu.Lock()
	g.closed = true
	for conn := range g.open {
		_ = conn.Close()
	}
	g.mu.Unlock()
	g.served.Wait()
	return err
}
