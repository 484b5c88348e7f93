package eventstoredb_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
)

// TestStore_unreadablePass: that the file beside the socket cannot be read is said once, not at every probe.
func TestStore_unreadablePass(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "es")
	if err := os.Mkdir(eventstore.PassFile(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	log, logged := logtest.NewNullLogger()
	store, err := eventstoredb.Open(eventstoredb.Config{Addr: "unix://" + socket, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Head(t.Context()); err == nil { // it waits for a second, in which the server is probed several times
		t.Error("the end of a log that is not there was read")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := store.Close(ctx); err != nil {
		t.Error(err)
	}
	if got := len(logged.AllEntries()); got != 1 {
		t.Errorf("it was said %d times", got)
	}
}
