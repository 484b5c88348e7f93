package accounts_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/operator"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// TestOperators: operators that one process adds and revokes count in another process at its next query. The log contains no
// token.
func TestOperators(t *testing.T) {
	t.Parallel()
	store := memory.New()
	here := accounts.NewOperators(eventstore.NewLog(store, eventstore.NewCodec()), rand.Reader, time.Now)
	there := accounts.NewOperators(eventstore.NewLog(store, eventstore.NewCodec()), rand.Reader, time.Now)
	holder := func(token string) (operator.Added, bool) {
		t.Helper()
		got, ok, err := there.Holder(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return got, ok
	}
	anna, err := here.Add(t.Context(), accounts.AddOperator{Name: "anna", Role: operator.Observer})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := holder(anna.Token); !ok || got.Name != "anna" || got.Role != operator.Observer {
		t.Errorf("%v %v", got, ok)
	}
	for _, strange := range []string{"", "mo_", anna.Token + "x", anna.Hash, "mo_0000000000000000000000000000000000000000"} {
		if got, ok := holder(strange); ok {
			t.Errorf("%q is the token of %s", strange, got.Name)
		}
	}
	var refusal *domain.Error
	if _, err := there.Add(t.Context(), accounts.AddOperator{Name: "anna", Role: operator.Owner}); !errors.As(err, &refusal) || refusal.Code != "operator_exists" {
		t.Errorf("the name is given twice: %v", err)
	}
	if err := here.Revoke(t.Context(), "anna"); err != nil {
		t.Fatal(err)
	}
	if _, ok := holder(anna.Token); ok {
		t.Error("a revoked token opens something elsewhere")
	}
	again, err := there.Add(t.Context(), accounts.AddOperator{Name: "anna", Role: operator.Owner})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := holder(anna.Token); ok {
		t.Error("the old token is open again")
	}
	if list, err := here.List(t.Context()); err != nil || len(list) != 1 || list[0].Role != operator.Owner {
		t.Errorf("%v %v", list, err)
	}
	for event, err := range store.ReadStream(t.Context(), operator.RosterStream, eventstore.Forwards, 0) {
		raw, failed := json.Marshal(event)
		if err != nil || failed != nil || bytes.Contains(event.Data, []byte(again.Token)) || bytes.Contains(raw, []byte(anna.Token)) {
			t.Errorf("the log has a token, or cannot be read: %s %v", raw, err)
		}
	}
}

// TestOperators_sessions: a session that one process lists and ends has ended in another process at its next query.
func TestOperators_sessions(t *testing.T) {
	t.Parallel()
	store := memory.New()
	here := accounts.NewOperators(eventstore.NewLog(store, eventstore.NewCodec()), rand.Reader, time.Now)
	there := accounts.NewOperators(eventstore.NewLog(store, eventstore.NewCodec()), rand.Reader, time.Now)
	began := time.Now()
	one := operator.SignedIn{Session: "00ff", By: "11ee", Name: "oidc:anna", Issuer: "https://id.example", Subject: "s-1", Began: began, Until: began.Add(time.Hour)}
	if err := here.SignIn(t.Context(), accounts.SignIn{SignedIn: one}); err != nil {
		t.Fatal(err)
	}
	if standing, err := there.Session(t.Context(), "11ee", "00ff", began); err != nil || standing.Ended {
		t.Fatalf("%+v %v", standing, err)
	}
	if all, err := there.Sessions(t.Context()); err != nil || len(all) != 1 || all[0].Issuer != "https://id.example" || all[0].Subject != "s-1" {
		t.Fatalf("%+v %v", all, err)
	}
	if err := there.EndSession(t.Context(), "00ff"); err != nil {
		t.Fatal(err)
	}
	if standing, err := here.Session(t.Context(), "11ee", "00ff", began); err != nil || !standing.Ended {
		t.Errorf("%+v %v", standing, err)
	}
	if all, err := here.Sessions(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// TestOperators_wait: a query that waits for another query ends with its context.
func TestOperators_wait(t *testing.T) {
	t.Parallel()
	store := &heldStore{Store: memory.New(), reading: make(chan struct{}), release: make(chan struct{})}
	operators := accounts.NewOperators(eventstore.NewLog(store, eventstore.NewCodec()), rand.Reader, time.Now)
	first := make(chan error, 1)
	go func() {
		_, err := operators.List(t.Context())
		first <- err
	}()
	<-store.reading
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := operators.List(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(store.release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// heldStore is a store for one read: it closes reading, and then waits until release is closed.
type heldStore struct {
	eventstore.Store
	reading, release chan struct{}
}

func (s *heldStore) ReadStream(
	ctx context.Context, stream string, d eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	close(s.reading)
	<-s.release
	return s.Store.ReadStream(ctx, stream, d, from)
}
