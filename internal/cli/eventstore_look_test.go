package cli_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"moviola/eventstore"
)

// TestEventStore_look looks into a log while its server runs, and after it has ended.
func TestEventStore_look(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	withLog(t, dir, func(store eventstore.Store, addr string) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		for _, stream := range []string{"movie-1", "movie-2", "key-1"} {
			for revision := range 3 {
				event := eventstore.Proposed{ID: uuid.New(), Type: "Tested", Data: []byte(`{"of":"` + stream + `"}`), Metadata: []byte(`{}`)}
				if _, err := store.Append(ctx, stream, eventstore.Revision(revision-1), event); err != nil {
					t.Fatal(err)
				}
			}
		}
		makeGroup(ctx, t, addr)
		look(t, dir)
		wantCommand(t, 0, "0 events removed", "eventstore", "scavenge", "--data", dir)
		wantCommand(t, 0, "0 events removed", "eventstore", "scavenge", "--at", addr)
		wantCommand(t, 0, "2@movie-2", "eventstore", "read", "$all", "--count", "0", "--at", addr)
	})
	look(t, dir)
	wantCommand(t, 0, "0 events removed", "eventstore", "scavenge", "--data", dir)
	none := t.TempDir()
	withLog(t, none, func(eventstore.Store, string) {})
	wantCommand(t, 0, "[]", "eventstore", "groups", "--json", "--data", none)
	wantCommand(t, 0, "[]", "eventstore", "streams", "--json", "--data", none)
	wantCommand(t, 0, "STREAM", "eventstore", "streams", "--limit", "0", "--data", dir)
	wantCommand(t, 1, "there is no event log", "eventstore", "streams", "--data", t.TempDir())
}

func makeGroup(ctx context.Context, t *testing.T, addr string) {
	t.Helper()
	settings, err := esdb.ParseConnectionString("esdb://127.0.0.1:1?tls=false")
	if err != nil {
		t.Fatal(err)
	}
	settings.Address, settings.Logger = addr, esdb.NoopLogging()
	client, err := esdb.NewClient(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	err = client.CreatePersistentSubscription(ctx, "movie-1", "reports", esdb.PersistentStreamSubscriptionOptions{StartFrom: esdb.Start{}})
	if err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, dir string) {
	t.Helper()
	for _, row := range []struct {
		args string
		want []string // in the output, in this order
	}{
		{"streams", []string{"STREAM", "key-1", "3", "0", "2", "movie-1", "movie-2"}},
		{"streams --prefix movie- --limit 1", []string{"movie-1", "--after movie-1"}},
		{"streams --prefix movie- --after movie-1", []string{"movie-2"}},
		{"stats", []string{"events", "9", "streams", "3", "persistent subscriptions", "1", "movie", "2", "6", "key", "1", "3"}},
		{"groups", []string{"movie-1", "reports", "RoundRobin", "-", "2", "0"}},
		{"read movie-1 --count 2", []string{"0@movie-1", "1@movie-1"}},
		{"read movie-1 --backwards --count 1", []string{"2@movie-1", `{"of":"movie-1"}`}},
		{"read $all --from-revision 0 --count 9", []string{"0@movie-1", "2@key-1"}},
	} {
		code, out := runCommand(append([]string{"eventstore"}, append(strings.Fields(row.args), "--data", dir)...)...)
		rest := out
		for _, want := range row.want {
			_, after, found := strings.Cut(rest, want)
			if !found || code != 0 {
				t.Errorf("moviola eventstore %s: exit code %d, want %q in\n%s", row.args, code, want, out)
				break
			}
			rest = after
		}
	}
	for _, command := range []string{"streams", "stats", "groups", "read movie-1 --count 1"} {
		_, out := runCommand(append([]string{"eventstore"}, append(strings.Fields(command), "--json", "--data", dir)...)...)
		if !json.Valid([]byte(out)) {
			t.Errorf("moviola eventstore %s --json prints no JSON:\n%s", command, out)
		}
	}
}
