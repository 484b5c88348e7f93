package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
)

// TestPersistent_deleteNotStarted: a persistent subscription whose settings cannot be read is not started. It can be deleted, with
// its parked messages, and is not there any more then, after a restart either.
func TestPersistent_deleteNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := newHarness(t, embedded.Config{Dir: dir})
	first.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	first.mustGroup("a", "other", esdb.PersistentStreamSubscriptionOptions{})
	parked := logfile.GroupKey{Stream: "a", Name: "g"}.ParkedStream()
	first.mustAppend(parked, esdb.NoStream{}, events(1)...)
	if err := closeServer(first.server); err != nil {
		t.Fatal(err)
	}
	if err := embedded.Tamper(filepath.Join(dir, logfile.FileName), `UPDATE groups SET settings = 'nonsense' WHERE name = 'g'`); err != nil {
		t.Fatal(err)
	}
	second := newHarness(t, embedded.Config{Dir: dir})
	if _, err := second.client.GetPersistentSubscriptionInfo(second.ctx, "a", "g", esdb.GetPersistentSubscriptionOptions{}); err == nil {
		t.Fatal("the broken subscription was started")
	}
	remove := func(h *harness) error {
		return h.client.DeletePersistentSubscription(h.ctx, "a", "g", esdb.DeletePersistentSubscriptionOptions{})
	}
	if err := remove(second); err != nil {
		t.Errorf("delete: %v", err)
	}
	wantCode(t, "delete again", remove(second), esdb.ErrorCodeResourceNotFound)
	_, err := second.read(parked, esdb.ReadStreamOptions{From: esdb.Start{}}, 10)
	wantCode(t, "its parked messages", err, esdb.ErrorCodeResourceNotFound)
	if err := closeServer(second.server); err != nil {
		t.Fatal(err)
	}
	third := newHarness(t, embedded.Config{Dir: dir})
	wantCode(t, "delete after a restart", remove(third), esdb.ErrorCodeResourceNotFound)
	if _, err := third.client.GetPersistentSubscriptionInfo(third.ctx, "a", "other", esdb.GetPersistentSubscriptionOptions{}); err != nil {
		t.Errorf("the other subscription: %v", err)
	}
}

// TestGroups_unreadable: settings that cannot be read are an error of the list, and no shorter list.
func TestGroups_unreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHarness(t, embedded.Config{Dir: dir})
	h.mustGroup("a", "g", esdb.PersistentStreamSubscriptionOptions{})
	h.mustGroup("a", "other", esdb.PersistentStreamSubscriptionOptions{})
	if err := embedded.Tamper(filepath.Join(dir, logfile.FileName), `UPDATE groups SET settings = 'nonsense' WHERE name = 'other'`); err != nil {
		t.Fatal(err)
	}
	if groups, err := logfile.Groups(t.Context(), dir); err == nil {
		t.Errorf("the list is %+v", groups)
	}
}
