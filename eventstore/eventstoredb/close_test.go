package eventstoredb_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
)

// endless is a context that ends only when the test has failed anyway.
func endless(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// appendForEver appends until the store refuses for good, and reports with what.
func appendForEver(ctx context.Context, store eventstore.Store, stream string) error {
	for revision := eventstore.NoStream; ; {
		_, err := store.Append(ctx, stream, revision, eventstore.Proposed{ID: uuid.New(), Type: "Called", Data: []byte(`{}`)})
		switch {
		case err == nil:
			revision++
		case errors.Is(err, eventstore.ErrConflict), errors.Is(err, eventstore.ErrUnavailable): // one got through unheard
			revision = last(ctx, store, stream)
		default:
			return err
		}
	}
}

func last(ctx context.Context, store eventstore.Store, stream string) eventstore.Revision {
	for recorded, err := range store.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if err == nil {
			return recorded.Revision
		}
	}
	return eventstore.NoStream
}

// TestClose_busy closes the store under callers, while the server is there and while it is not.
func TestClose_busy(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]bool{"with a server": false, "in an outage": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := endless(t)
			config := embedded.Config{Dir: t.TempDir()}
			server := serve(t, config)
			store, err := eventstoredb.Open(eventstoredb.Config{Addr: server.Addr()})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, callers)
			for i := range callers {
				stream := (&crowd{category: "crowd"}).stream(i)
				go func() { ended <- appendForEver(ctx, store, stream) }()
			}
			for last(ctx, store, "crowd-0") < 3 && ctx.Err() == nil {
				pause(time.Millisecond)
			}
			closing := ctx
			if outage {
				stopServer(t, server)
				pause(300 * time.Millisecond)
				var cancel context.CancelFunc // calls may be stuck in the client
				closing, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
				defer cancel()
			}
			began := time.Now()
			err = store.Close(closing)
			for range callers {
				if err := <-ended; errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a caller of a closed store was held: %v", err)
				}
			}
			t.Logf("closed under %d callers in %v: %v", callers, time.Since(began), err)
			if !outage && err != nil {
				t.Errorf("close: %v", err)
			}
			if outage { // what is stuck in the client comes free with the server
				server = serve(t, config)
			}
			if err := store.Close(ctx); err != nil {
				t.Errorf("close again: %v", err)
			}
			if _, err := store.Append(ctx, "crowd-x", eventstore.NoStream, eventstore.Proposed{ID: uuid.New(), Type: "Called"}); err == nil {
				t.Error("a closed store appended")
			}
			stopServer(t, server)
		})
	}
}

// TestOpen_beforeServer opens a store whose server comes later.
func TestOpen_beforeServer(t *testing.T) {
	t.Parallel()
	ctx := endless(t)
	dir := filepath.Join(t.TempDir(), "es")
	first := serve(t, embedded.Config{Dir: dir})
	addr := first.Addr()
	stopServer(t, first)

	store := openStore(t, eventstoredb.Config{Addr: addr})
	_, err := store.Append(ctx, "a-b", eventstore.NoStream, eventstore.Proposed{ID: uuid.New(), Type: "Called"})
	if !errors.Is(err, eventstore.ErrUnavailable) || ctx.Err() != nil {
		t.Errorf("an append without a server: %v, want %v before its deadline", err, eventstore.ErrUnavailable)
	}
	startServer(t, embedded.Config{Dir: dir})
	for err != nil {
		_, err = store.Append(ctx, "a-b", eventstore.NoStream, eventstore.Proposed{ID: uuid.New(), Type: "Called"})
		if err != nil && !errors.Is(err, eventstore.ErrUnavailable) {
			t.Fatal(err)
		}
		pause(10 * time.Millisecond)
	}
}

func TestOpen_config(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]eventstoredb.Config{
		"nothing":            {},
		"both":               {Addr: "127.0.0.1:1", ConnectionString: "esdb://127.0.0.1:1"},
		"no port":            {Addr: "localhost"},
		"unreadable":         {ConnectionString: "http://user:secret@127.0.0.1:1"},
		"half a certificate": {ConnectionString: "esdb://127.0.0.1:1?userCertFile=/x"},
	} {
		if _, err := eventstoredb.Open(config); err == nil {
			t.Errorf("%s: the store was opened", name)
		}
	}
}
