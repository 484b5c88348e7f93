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
	"net/url"
	"path/filepath"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// Server is a running server.
type Server struct {
	gate *gate
	stop context.CancelFunc
	done chan struct{} // closed when FerretDB has ended
}

// Start starts a server whose databases are files in dir, and returns when it takes connections. Close ends it.
func Start(listen, dir string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Handler:   "sqlite",
		SQLiteURL: (&url.URL{Scheme: "file", Path: dir + "/"}).String(),
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("start FerretDB: %w", err)
	}
	inner, err := url.Parse(f.MongoDBURI()) // it listens from the beginning
	if err != nil {
		return nil, fmt.Errorf("FerretDB's address: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = f.Run(ctx) // it always returns nil
	}()
	if s.gate, err = openGate(listen, inner.Host); err != nil {
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
