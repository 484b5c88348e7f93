package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"moviola/domain/operator"
)

// TestRoster_sessions: who has signed in is listed until the session ends: by itself, by another sign-in of the browser, by an owner, or with its token.
func TestRoster_sessions(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	at := func(minute int) time.Time { return t0.Add(time.Duration(minute) * time.Minute) }
	const hash = "0123456789abcdef0123456789abcdef-and-more"
	var r operator.Roster
	begin := func(id, name, issuer string, minute int, before *operator.SignedOut) {
		one := operator.SignedIn{Session: id, By: operator.TokenID(hash), Name: name, Issuer: issuer, Began: at(minute), Until: at(minute + 60)}
		for _, e := range r.SignIn(one, before) {
			r.Apply(e)
		}
	}
	open := func(minute int) []string {
		var ids []string
		for _, one := range r.Sessions(at(minute)) {
			ids = append(ids, one.Session)
		}
		return ids
	}
	is := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", what, got, want)
		}
	}
	r.Apply(operator.Added{Name: "zoe", Role: operator.Owner, Hash: hash, At: t0})
	begin("a", "zoe", "", 0, nil)
	begin("b", "oidc:anna", "https://id.example", 1, nil)
	begin("c", "", "", 2, nil)
	is("all, the newest first", open(3), "c", "b", "a")
	begin("d", "oidc:anna", "https://id.example", 3, &operator.SignedOut{Session: "b", Began: at(1), Until: at(61), At: at(3)})
	is("another sign-in of the browser", open(4), "d", "c", "a")
	if !r.Ended("b", at(1)) {
		t.Error("the session before another sign-in goes on")
	}
	events, err := r.EndSession("d", at(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		r.Apply(e)
	}
	is("ended", open(5), "c", "a")
	for _, id := range []string{"d", "nobody's"} {
		if _, err := r.EndSession(id, at(6)); !errors.Is(err, operator.ErrNoSession) {
			t.Errorf("%s is ended: %v", id, err)
		}
	}
	is("expired", open(61), "c")
	if _, err := r.EndSession("a", at(61)); !errors.Is(err, operator.ErrNoSession) {
		t.Errorf("what has expired is ended: %v", err)
	}
	r.Apply(operator.Revoked{Name: "zoe", Hash: hash, At: at(6)})
	is("revoked", open(7), "c")
	for i := range 1002 {
		begin(fmt.Sprint(i), "", "", 10, nil)
	}
	if got := r.Sessions(at(11)); len(got) != 1000 {
		t.Errorf("%d sessions are listed", len(got))
	}
}
