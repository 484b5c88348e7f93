package ledger_test

import (
	"bytes"
	"crypto/ed25519"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moviola/domain"
	"moviola/domain/ledger"
)

// TestState_split: the parts of a state are bounded, and together they are the state again.
func TestState_split(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := ledger.State{
			Granted: 7, Charged: 3, Pack: true, Closed: true, Zero: 1, Purged: 2,
			Grants: rapid.SliceOfN(rapid.StringN(1, 20, 40), 0, 30).Draw(t, "grants"),
		}
		for i := range rapid.IntRange(0, 30).Draw(t, "others") {
			p := domain.ProjectID(string(rune('a' + i)))
			state.Open = append(state.Open, ledger.OpenState{Project: p, Amount: 4, Attempt: 2, At: 9})
			state.Counts = append(state.Counts, ledger.OpenState{Project: p, Period: "2026-11", Draft: true, At: 9})
			state.Used = append(state.Used, ledger.UsedState{Period: "2026-11", Movies: 4})
			state.Ended = append(state.Ended, ledger.EndState{Project: p, Charged: true, At: 9})
		}
		most := rapid.IntRange(150, 2000).Draw(t, "most")
		parts := state.Split(most)
		for i, part := range parts {
			entries := len(part.Grants) + len(part.Open) + len(part.Counts) + len(part.Used) + len(part.Ended)
			if entries > most/80 || entries == 0 && len(parts) > 1 || i < len(parts)-1 && part.Granted != 0 {
				t.Fatalf("part %d of %d has %d entries of %d bytes: %+v", i, len(parts), entries, most, part)
			}
		}
		if len(state.Grants) == 0 {
			state.Grants = nil
		}
		if got := ledger.Join(parts...); !reflect.DeepEqual(got, state) {
			t.Fatalf("joined %+v, want %+v", got, state)
		}
	})
}

// TestOpened_SignedBy: the signature is over the account and everything that a decision takes from the opening balance.
func TestOpened_SignedBy(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	opened, err := ledger.Opened{Revision: 3, Event: "e", Version: 2, State: ledger.State{Granted: 5}}.Sign("alice", key)
	if err != nil || !opened.SignedBy("alice", public) {
		t.Fatalf("its own signature is refused, %v", err)
	}
	moved := opened
	moved.First, moved.At = 9, time.Now()
	if !moved.SignedBy("alice", public) {
		t.Error("the place of the pages is under the signature")
	}
	if opened.SignedBy("bob", public) || opened.SignedBy("alice", nil) {
		t.Error("it is accepted for another account, or without a key")
	}
	for name, change := range map[string]func(*ledger.Opened){
		"revision": func(o *ledger.Opened) { o.Revision++ }, "event": func(o *ledger.Opened) { o.Event = "f" },
		"version": func(o *ledger.Opened) { o.Version++ }, "state": func(o *ledger.Opened) { o.State.Granted++ },
	} {
		changed := opened
		change(&changed)
		if changed.SignedBy("alice", public) {
			t.Errorf("another %s is accepted", name)
		}
	}
}
