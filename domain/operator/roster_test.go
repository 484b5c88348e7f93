package operator_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"moviola/domain/operator"
)

func TestRole_AtLeast(t *testing.T) {
	t.Parallel()
	order := []operator.Role{operator.Observer, operator.Acting, operator.Owner}
	for i, role := range order {
		for j, least := range order {
			if got := role.AtLeast(least); got != (i >= j) {
				t.Errorf("%s at least %s: %v", role, least, got)
			}
		}
	}
	for _, strange := range []operator.Role{"", "Owner", "root"} {
		if strange.AtLeast(operator.Observer) || strange.AtLeast("") {
			t.Errorf("%q may read", strange)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	token, err := operator.GenerateToken(rand.Reader)
	if err != nil || !operator.IsToken(token) {
		t.Errorf("%v %v", operator.IsToken(token), err)
	}
	for _, strange := range []string{"", "mo_", token + "a", token[:len(token)-1], strings.Replace(token, "mo_", "mv_", 1), token[:len(token)-1] + "-"} {
		if operator.IsToken(strange) {
			t.Errorf("%q is a token", strange)
		}
	}
}

func TestRoster(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	var r operator.Roster
	add := func(name string, role operator.Role) error {
		events, err := r.Add(name, role, "hash of "+name, at)
		for _, e := range events {
			r.Apply(e)
		}
		return err
	}
	if err := add("zoe", operator.Owner); err != nil {
		t.Fatal(err)
	}
	if err := add("anna@example.com", operator.Observer); err != nil {
		t.Fatal(err)
	}
	token, err := operator.GenerateToken(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, role := range map[string]operator.Role{token: operator.Owner, "zoe": operator.Owner, "": operator.Owner, "a b": operator.Owner, "<b>": operator.Owner, "ben": "root",
		strings.Repeat("a", 65): operator.Owner} {
		if add(name, role) == nil {
			t.Errorf("%q is added as %q", name, role)
		}
	}
	if all := r.All(); len(all) != 2 || all[0].Name != "anna@example.com" {
		t.Errorf("%v", all)
	}
	if got, ok := r.Holder("hash of zoe"); !ok || got.Role != operator.Owner {
		t.Errorf("%v %v", got, ok)
	}
	if _, err := r.Revoke("ben", at); err == nil {
		t.Error("nobody is revoked")
	}
	events, err := r.Revoke("zoe", at)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		r.Apply(e)
	}
	if _, ok := r.Holder("hash of zoe"); ok {
		t.Error("a revoked token has a holder")
	}
	for i := range 199 {
		if err := add(fmt.Sprint("o", i), operator.Acting); err != nil {
			t.Fatal(err)
		}
	}
	if add("one.more", operator.Acting) == nil {
		t.Error("there is no bound")
	}
}
