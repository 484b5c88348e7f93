package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/projections"
)

// A connection is listed to its account without anything secret, by name, until it is deleted.
func TestConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	saved := connection.Saved{
		Version: 1, Kind: connection.SFTP, Settings: connection.Settings{"host": "a.example"}, Secrets: []string{"password"},
		Sealed: connection.Sealed{Key: "k1", Data: []byte("sealed")}, At: minute(0),
	}
	put := func(account domain.AccountID, id string, events ...domain.Event) eventstore.Appended {
		t.Helper()
		at, err := w.log.Append(t.Context(), connection.Stream(account, id), eventstore.NoStream, eventstore.Meta{Account: account, Time: t0}, events...)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	put(alice, "b.x", saved, connection.Tested{Number: 1, Success: true, Message: "fine", HostKey: "SHA256:x", At: minute(1)})
	put(alice, "a", saved)
	put(alice, "gone", saved, connection.Deleted{Version: 1, At: minute(2)})
	last := put(bob, "c", saved)
	models := w.open(t)
	start(t, models)
	waitFor(t, models, last)
	list, more, err := models.Connections.List(t.Context(), projections.ConnectionList{Account: alice, Limit: 1})
	if err != nil || !more || len(list) != 1 || list[0].Name != "a" {
		t.Fatalf("%+v, more %v, %v", list, more, err)
	}
	list, more, err = models.Connections.List(t.Context(), projections.ConnectionList{Account: alice, After: "a", Limit: 5})
	at := minute(1)
	want := []projections.Connection{{
		ID: string(alice) + ".b.x", Revision: 1, Account: string(alice), Name: "b.x", Kind: connection.SFTP, Settings: saved.Settings,
		Secrets: saved.Secrets, KeyID: "k1", HostKey: "SHA256:x", SavedAt: minute(0), TestedAt: &at, TestSuccess: true, TestMessage: "fine",
	}}
	if diff := cmp.Diff(want, list, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" || more || err != nil {
		t.Errorf("more %v, %v (-want +got):\n%s", more, err, diff)
	}
}

// TestConnections_Hearing: the webhooks of an account that list an event, no others, and no more than asked for.
func TestConnections_Hearing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(account domain.AccountID, id string, kind connection.Kind, events string) eventstore.Appended {
		t.Helper()
		at, err := w.log.Append(t.Context(), connection.Stream(account, id), eventstore.NoStream, eventstore.Meta{Account: account, Time: t0},
			connection.Saved{Version: 1, Kind: kind, Settings: connection.Settings{"events": events}, At: minute(0)})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for i := range 101 { // more than a page
		put(alice, fmt.Sprintf("a%03d", i), connection.Webhook, "")
	}
	put(alice, "b", connection.Webhook, "render.progress, batch.finished")
	put(alice, "c", connection.Webhook, "batch.finished")
	put(alice, "d", connection.FTP, "batch.finished")
	last := put(bob, "e", connection.Webhook, "batch.finished")
	models := w.open(t)
	start(t, models)
	waitFor(t, models, last)
	for most, want := range map[int][]string{1: {"b"}, 5: {"b", "c"}} {
		got, err := models.Connections.Hearing(t.Context(), alice, connection.BatchFinished, most)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("at most %d: %v (-want +got):\n%s", most, err, diff)
		}
	}
	if got, err := models.Connections.Hearing(t.Context(), alice, connection.RenderStarted, 5); len(got) != 0 || err != nil {
		t.Errorf("nobody lists it: %v, %v", got, err)
	}
}
