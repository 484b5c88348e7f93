package commands_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

func (w *world) issueKey(cmd accounts.IssueKey) (accounts.IssuedKey, error) {
	return accounts.NewIssueKeyHandler(w.log, rand.Reader, w.clock).Handle(w.t.Context(), cmd)
}

func (w *world) revokeKey(cmd accounts.RevokeKey) (accounts.Revocation, error) {
	return accounts.NewRevokeKeyHandler(w.log, w.clock).Handle(w.t.Context(), cmd)
}

// withAccount opens an account.
func (w *world) withAccount(id domain.AccountID) {
	w.t.Helper()
	_, err := w.openAccount(accounts.OpenAccount{ID: id, Name: string(id), Plan: "paid"})
	w.must(err)
}

// TestIssueKey: the value of an API key is returned once, and only its hash is stored. Decision 49.
func TestIssueKey(t *testing.T) {
	t.Parallel()
	later := t0.Add(time.Hour + 1234*time.Microsecond)
	stored := t0.Add(time.Hour + time.Millisecond)
	tests := []struct {
		name string
		cmd  accounts.IssueKey
		want key.Issued
		code string
	}{
		{name: "with a role", cmd: accounts.IssueKey{Account: alice, Name: " ci ", Role: key.Editor}, want: key.Issued{Name: "ci", Role: key.Editor}},
		{name: "that expires", cmd: accounts.IssueKey{Account: alice, Name: "ci", Role: key.Viewer, ExpiresAt: &later},
			want: key.Issued{Name: "ci", Role: key.Viewer, ExpiresAt: &stored}},
		{name: "primary", cmd: accounts.IssueKey{Account: alice, Name: "old", Legacy: key.Primary}, want: key.Issued{Name: "old", Role: key.Admin, Legacy: key.Primary}},
		{name: "secondary", cmd: accounts.IssueKey{Account: alice, Name: "old", Legacy: key.Secondary, Role: key.Admin},
			want: key.Issued{Name: "old", Role: key.Render, Legacy: key.Secondary}},
		{name: "without role", cmd: accounts.IssueKey{Account: alice, Name: "ci"}, code: "role_invalid"},
		{name: "without name", cmd: accounts.IssueKey{Account: alice, Role: key.Viewer}, code: "name_required"},
		{name: "that expired", cmd: accounts.IssueKey{Account: alice, Name: "ci", Role: key.Viewer, ExpiresAt: &t0}, code: "expires_at_invalid"},
		{name: "of an unknown account", cmd: accounts.IssueKey{Account: mallory, Name: "ci", Role: key.Viewer}, code: "account_not_found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			w.withAccount(alice)
			before := len(w.all())
			got, err := w.issueKey(tt.cmd)
			if tt.code != "" {
				w.wantCode(err, tt.code)
				if len(w.all()) != before {
					t.Error("a refused key left an event")
				}
				return
			}
			w.must(err)
			if !key.Check(got.Value) || got.ID != key.ID(key.Hash(got.Value)) {
				t.Errorf("key %q with id %s", got.Value, got.ID)
			}
			tt.want.Account, tt.want.Hash, tt.want.At = alice, key.Hash(got.Value), t0
			if diff := cmp.Diff(domain.Event(tt.want), w.last(keyStream(got.Value))); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
			want := accounts.IssuedKey{ID: got.ID, Name: tt.want.Name, Role: tt.want.Role, ExpiresAt: tt.want.ExpiresAt}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(accounts.IssuedKey{}, "Value", "Position")); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			for _, recorded := range w.all() {
				if strings.Contains(string(recorded.Data)+string(recorded.Metadata), got.Value) {
					t.Errorf("the key stands in %s", recorded.Type)
				}
			}
		})
	}
}

// wantCode checks the code of a refusal.
func (w *world) wantCode(err error, code string) {
	w.t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		w.t.Errorf("error %v, want code %s", err, code)
	}
}

// TestIssueKey_LostAnswer: when the answer of an append is lost, the append is repeated, and one API key is made.
func TestIssueKey_LostAnswer(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.withAccount(alice)
	w.store.LoseAfter(1)
	issued, err := w.issueKey(accounts.IssueKey{Account: alice, Name: "ci", Role: key.Viewer})
	w.must(err)
	at, err := w.log.Last(t.Context(), key.Stream(issued.ID))
	if err != nil || at.Revision != 0 {
		t.Errorf("the key's stream ends at %d, %v", at.Revision, err)
	}
}

func TestIssueKey_NoRandomness(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.withAccount(alice)
	h := accounts.NewIssueKeyHandler(w.log, strings.NewReader("too short"), w.clock)
	if issued, err := h.Handle(t.Context(), accounts.IssueKey{Account: alice, Name: "ci", Role: key.Viewer}); err == nil || issued.Value != "" {
		t.Errorf("%+v, %v", issued, err)
	}
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.withAccount(alice)
	own, err := w.issueKey(accounts.IssueKey{Account: alice, Name: "ci", Role: key.Render})
	w.must(err)
	w.wait(time.Minute)
	before := len(w.all())
	for _, cmd := range []accounts.RevokeKey{{ID: own.ID, Account: mallory}, {ID: strings.Repeat("0", 32), Account: alice}, {ID: strings.Repeat("0", 32)}} {
		_, err := w.revokeKey(cmd)
		w.wantCode(err, "key_not_found")
	}
	if len(w.all()) != before {
		t.Error("a refused revocation left an event")
	}
	first, err := w.revokeKey(accounts.RevokeKey{ID: own.ID, Account: alice})
	w.must(err)
	w.wait(time.Minute)
	again, err := w.revokeKey(accounts.RevokeKey{ID: own.ID})
	w.must(err)
	want := accounts.Revocation{Account: alice, At: t0.Add(time.Minute), Position: first.Position}
	for _, got := range []accounts.Revocation{first, again} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("revocation (-want +got):\n%s", diff)
		}
	}
	if len(w.all()) != before+1 {
		t.Errorf("%d events for two revocations", len(w.all())-before)
	}
}

// TestRevokeKey_AtOnce: two revocations at the same time return the same time of revocation.
func TestRevokeKey_AtOnce(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	w.withAccount(alice)
	own, err := w.issueKey(accounts.IssueKey{Account: alice, Name: "ci", Role: key.Render})
	w.must(err)
	var other accounts.Revocation
	met := false
	w.intervene(func(stream string) {
		if met || stream != key.Stream(own.ID) {
			return
		}
		met = true
		other, err = w.revokeKey(accounts.RevokeKey{ID: own.ID, Account: alice})
		w.wait(time.Minute)
	})
	got, failed := w.revokeKey(accounts.RevokeKey{ID: own.ID, Account: alice})
	w.must(failed)
	w.must(err)
	if !met || got != other {
		t.Errorf("one revocation says %+v, the other %+v", got, other)
	}
}

// intervene calls a function before each append.
func (w *world) intervene(do func(stream string)) {
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, stream string, _ []eventstore.Proposed) error {
		do(stream)
		return nil
	}})
}
