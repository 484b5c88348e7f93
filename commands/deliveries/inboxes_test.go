package deliveries_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

// TestInboxes: an inbox accepts what its own account sends, for an hour. Its letters are stored encrypted and within its
// bounds, and cannot be read after that hour.
func TestInboxes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	files := commandstest.NewFiles(clock)
	sealing, err := vault.New(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	of := deliveries.NewInboxes(files, sealing, clock)
	elsewhere := deliveries.NewInboxes(files, sealing, clock) // the inboxes as another process has them
	opened, err := of.Open(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	send := func(account domain.AccountID, id connection.InboxID, body string) bool {
		t.Helper()
		took, err := elsewhere.Receive(t.Context(), account, id, map[string]string{"Webhook-Id": "msg_1"}, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return took
	}
	for n := range 13 {
		now = now.Add(time.Second)
		files.Fail(func(call, _ string) error {
			if n == 11 && call == "delete" { // older letters cannot be removed: this one is received all the same
				return errors.New("the storage is away")
			}
			return nil
		})
		if !send("alice", opened.ID, fmt.Sprintf("the secret body %d", n)) {
			t.Fatal("not received")
		}
	}
	if send("bob", opened.ID, "from another account") || send("alice", "AAAAAAAAAAAAAAAAAAAAAAAA", "x") || send("alice", "../x", "x") {
		t.Error("it was sent where it must not be")
	}
	now = now.Add(time.Second)
	send("alice", opened.ID, string(bytes.Repeat([]byte("long"), 30_000)))
	got, letters, err := of.Read(t.Context(), "alice", opened.ID)
	if err != nil || len(letters) != deliveries.InboxLetters || got.Letters != deliveries.InboxLetters {
		t.Fatalf("%d letters, %+v, %v", len(letters), got, err)
	}
	if l := letters[0]; len(l.Body) != 64<<10 || l.Size != 120_000 || !l.At.Equal(now) || l.Headers["Webhook-Id"] != "msg_1" {
		t.Errorf("the newest: %d of %d bytes, %v, %v", len(l.Body), l.Size, l.At, l.Headers)
	}
	if oldest := string(letters[9].Body); oldest != "the secret body 4" {
		t.Errorf("the oldest is %q", oldest)
	}
	keys, err := files.List(t.Context(), "inboxes/alice/")
	if err != nil || len(keys) != deliveries.InboxLetters+1 {
		t.Errorf("%d files, %v", len(keys), err)
	}
	for _, key := range keys {
		if raw, err := commands.ReadFile(t.Context(), files, key); err != nil || bytes.Contains(raw, []byte("secret")) {
			t.Errorf("%s is readable: %v", key, err)
		}
	}
	var refusal *domain.Error
	if _, _, err := of.Read(t.Context(), "bob", opened.ID); !errors.As(err, &refusal) || refusal.Code != "inbox_not_found" {
		t.Errorf("another account reads: %v", err)
	}
	if err := of.Delete(t.Context(), "bob", opened.ID); !errors.As(err, &refusal) {
		t.Errorf("another account deletes: %v", err)
	}
	now = opened.EndsAt()
	if _, _, err := of.Read(t.Context(), "alice", opened.ID); !errors.As(err, &refusal) || send("alice", opened.ID, "late") {
		t.Errorf("after its hour: %v", err)
	}
	if open, err := of.List(t.Context(), "alice"); err != nil || len(open) != 0 {
		t.Errorf("listed after its hour: %v, %v", open, err)
	}
}

// TestInboxesOpen: an account has at most OpenInboxes inboxes; another one replaces the oldest. A deleted inbox leaves no
// files.
func TestInboxesOpen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	files := commandstest.NewFiles(clock)
	sealing, err := vault.New(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	of := deliveries.NewInboxes(files, sealing, clock)
	var all []connection.InboxID
	for range deliveries.OpenInboxes + 1 {
		now = now.Add(time.Second)
		opened, err := of.Open(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, opened.ID)
	}
	open, err := of.List(t.Context(), "alice")
	if err != nil || len(open) != deliveries.OpenInboxes || open[0].ID != all[len(all)-1] || open[len(open)-1].ID != all[1] {
		t.Errorf("%d open, %v", len(open), err)
	}
	for _, one := range open {
		if _, err := of.Receive(t.Context(), "alice", one.ID, nil, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := of.Delete(t.Context(), "alice", one.ID); err != nil {
			t.Fatal(err)
		}
	}
	if keys, err := files.List(t.Context(), "inboxes/"); err != nil || len(keys) != 0 {
		t.Errorf("%v, %v", keys, err)
	}
}
