// Package mongo_test runs the contract of the document store on the MongoDB adapter, against a server of its own.
package mongo_test

import (
	"context"
	"sync/atomic"
	"testing"

	"moviola/adapters/mongodb"
	"moviola/internal/accountkeys"
	"moviola/internal/accountkeys/keystest"
	"moviola/projections"
	"moviola/projections/documentstest"
	"moviola/tests/mongo/server"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var databases atomic.Int64
	documentstest.Run(t, func(t *testing.T) documentstest.Open {
		address := s.URL() + "test" + string(rune('a'+databases.Add(1)))
		return func(t *testing.T) projections.Documents { return mustOpen(t, address) }
	})
}

// startServer starts a server that ends with the test.
func startServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.Start("127.0.0.1:0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func mustOpen(t *testing.T, address string) *mongodb.Documents {
	t.Helper()
	docs, err := mongodb.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := docs.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return docs
}

// TestAccountKeys runs the contract of the keys of accounts.
func TestAccountKeys(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var databases atomic.Int64
	keystest.Run(t, func(t *testing.T) accountkeys.KeyStore {
		return mustOpen(t, s.URL()+"keys"+string(rune('a'+databases.Add(1)))).AccountKeys()
	})
}
