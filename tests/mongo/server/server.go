// Package server runs FerretDB, a server that speaks MongoDB's protocol over SQLite files, inside a test.
//
// FerretDB's update finds a document and then writes it, in two steps. MongoDB replaces one document in one step, and the
// read models rely on that. So a gate stands before FerretDB that lets one request through at a time.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// Server is a running server.
type Server struct {
	gate *gate
	stop context.CancelFunc
	done chan struct{} // closed when FerretDB has ended
}

// startTimeout bounds the time until the server takes connections.
const startTimeout = 10 * time.Second

// Start starts a server whose databases are files in dir, and returns when it takes connections. Close ends it.
func Start(listen, dir string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	inner, err := freeAddress()
	if err != nil {
		return nil, err
	}
	f, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: inner},
		Handler:   "sqlite",
		SQLiteURL: (&url.URL{Scheme: "file", Path: dir + "/"}).String(),
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("start FerretDB: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = f.Run(ctx) // it always returns nil
	}()
	if err := answers(ctx, inner); err == nil {
		s.gate, err = openGate(listen, inner)
	} else {
		err = fmt.Errorf("FerretDB does not answer: %w", err)
	}
	if s.gate == nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// URL is the server's mongodb:// address.
func (s *Server) URL() string {
	return (&url.URL{Scheme: "mongodb", Host: s.gate.listener.Addr().String(), Path: "/"}).String()
}

// Close ends the server and waits for it.
func (s *Server) Close() error {
	var err error
	if s.gate != nil {
		err = s.gate.close()
	}
	s.stop()
	<-s.done
	return err
}

// freeAddress returns a loopback address that nobody listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until somebody listens on an address.
func answers(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}
