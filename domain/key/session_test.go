package key_test

import (
	"fmt"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/key"
)

// signedOut is a session that began some minutes after t0 and was ended a minute later.
func signedOut(name string, minute int) key.SessionEnded {
	began := t0.Add(time.Duration(minute) * time.Minute)
	return key.SessionEnded{Session: name, Began: began, Until: began.Add(12 * time.Hour), At: began.Add(time.Minute)}
}

// TestKey_EndSession. Decision 62.
func TestKey_EndSession(t *testing.T) {
	t.Parallel()
	one := signedOut("one", 1)
	for _, tt := range []struct {
		name   string
		given  []domain.Event
		events int
		code   string
	}{
		{"a session", []domain.Event{issued()}, 1, ""},
		{"once more", []domain.Event{issued(), one}, 0, ""},
		{"of a key that was never issued", nil, 0, "key_not_found"},
	} {
		k := key.New()
		for _, event := range tt.given {
			k.Apply(event)
		}
		events, err := k.EndSession("the-id", one)
		requireCode(t, err, tt.code)
		if len(events) != tt.events {
			t.Errorf("%s: %v", tt.name, events)
		}
	}
}

// TestKey_Ended: a session that was ended stays ended, others go on, and the key's own validity is another matter.
func TestKey_Ended(t *testing.T) {
	t.Parallel()
	k := key.New()
	k.Apply(issued())
	one := signedOut("one", 1)
	k.Apply(one)
	if !k.Ended("one", one.Began) || k.Ended("two", one.Began) || !k.Valid(t0) {
		t.Error("not exactly the session that was ended has ended")
	}
}

// TestKey_Ended_many: what a key remembers of its sessions is bounded, and no session that was ended comes back by that.
func TestKey_Ended_many(t *testing.T) {
	t.Parallel()
	k := key.New()
	k.Apply(issued())
	const many = 1500
	for i := range many {
		e := signedOut(fmt.Sprint(i), i/10)
		e.At = t0
		k.Apply(e)
	}
	for i := range many {
		if e := signedOut(fmt.Sprint(i), i/10); !k.Ended(e.Session, e.Began) {
			t.Fatalf("session %d of %d is open again", i, many)
		}
	}
	if k.Ended("new", t0.Add(many*time.Minute)) {
		t.Error("a session that began later has ended")
	}
}
