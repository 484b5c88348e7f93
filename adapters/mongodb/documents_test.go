package mongodb_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/mongodb"
	"moviola/projections"
	"moviola/projections/documentstest"
)

// TestDocuments runs the contract on the server that MONGO_URL names, in databases of its own. The module tests/mongo runs it on
// a server that it starts itself.
func TestDocuments(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(os.Getenv("MONGO_URL"))
	if err != nil {
		t.Fatal("MONGO_URL is no address")
	}
	if server.Host == "" {
		t.Skip("MONGO_URL is not set; go -C tests/mongo test ./... runs this suite on a server of its own")
	}
	var databases atomic.Int64
	run := time.Now().UnixNano()
	documentstest.Run(t, func(t *testing.T) documentstest.Open {
		own := *server
		own.Path = fmt.Sprintf("/moviola_test_%d_%d", run, databases.Add(1))
		return func(t *testing.T) projections.Documents { return mustOpen(t, own.String()) }
	})
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

func TestOpen_BadAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "http://host", "mongodb://user:secret@", "mongodb://user:secret@host/?maxPoolSize=x"} {
		if _, err := mongodb.Open(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("open %q: %v", address, err)
		}
	}
}

// TestDocuments_NoServer proves that an outage ends with the caller's patience, not later.
func TestDocuments_NoServer(t *testing.T) {
	t.Parallel()
	docs := mustOpen(t, "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := docs.Declare(ctx, projections.Collection{Name: "things"}); err == nil || ctx.Err() != nil {
		t.Errorf("declare without a server: %v, context %v", err, ctx.Err())
	}
}
