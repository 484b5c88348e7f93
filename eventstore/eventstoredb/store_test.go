package eventstoredb_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/eventstore/storetest"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 5 * time.Minute

func TestStore_unixSocket(t *testing.T) {
	t.Parallel()
	server := startServer(t, embedded.Config{Dir: t.TempDir(), NeedsPass: true})
	storetest.Run(t, func(t *testing.T) eventstore.Store { return openServed(t, eventstoredb.Config{Addr: server.Addr()}) })
}

func TestStore_loopback(t *testing.T) {
	t.Parallel()
	server := startServer(t, embedded.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	store := openServed(t, eventstoredb.Config{ConnectionString: "esdb://" + server.Addr() + "?tls=false"})
	storetest.Run(t, func(*testing.T) eventstore.Store { return store })
}

func TestStore_cluster(t *testing.T) {
	t.Parallel()
	url := os.Getenv("ESDB_URL")
	if url == "" {
		t.Skip("ESDB_URL names no EventStoreDB to run the contract against")
	}
	storetest.Run(t, func(t *testing.T) eventstore.Store { return openServed(t, eventstoredb.Config{ConnectionString: url}) })
}

// startServer opens and serves an event store until the test ends.
func startServer(t *testing.T, config embedded.Config) *embedded.Server {
	t.Helper()
	server, err := embedded.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		stopServer(t, server)
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return server
}

func stopServer(t *testing.T, server *embedded.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		t.Errorf("close the server: %v", err)
	}
}

// openStore opens a store that is closed with the test.
func openStore(t *testing.T, config eventstoredb.Config) *eventstoredb.Store {
	t.Helper()
	store, err := eventstoredb.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, store) })
	return store
}

// openServed is openStore that waits for the server: on a busy machine it may be found only after the first call has given up.
func openServed(t *testing.T, config eventstoredb.Config) *eventstoredb.Store {
	t.Helper()
	store := openStore(t, config)
	ctx := endless(t)
	for {
		_, err := store.Head(ctx)
		switch {
		case err == nil:
			return store
		case !errors.Is(err, eventstore.ErrUnavailable):
			t.Fatal(err)
		}
	}
}

func closeStore(t *testing.T, store *eventstoredb.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := store.Close(ctx); err != nil {
		t.Errorf("close the store: %v", err)
	}
}
