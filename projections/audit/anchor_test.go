package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/projections/audit"
)

// manyGrants is a ledger of n grants, written anew with one of them changed, left out or put before others. All else follows from what
// is written: revisions, ids, checksums.
func manyGrants(t *testing.T, n int, change func([]domain.Event) []domain.Event) *history {
	t.Helper()
	h := newHistory(t)
	var events []domain.Event
	for i := range n {
		events = append(events, granted(time.Duration(i).String(), int64(i+1)))
	}
	if change != nil {
		events = change(events)
	}
	h.money(bob, granted("first", 5))
	for part := range slices.Chunk(events, 200) {
		h.money(alice, part...)
	}
	return h
}

func anchored(t *testing.T, h *history) (audit.Anchor, []byte) {
	t.Helper()
	anchor, list, err := audit.Take(t.Context(), h.store, t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return anchor, list
}

func verified(t *testing.T, store eventstore.Store, anchor audit.Anchor, list []byte) audit.Verified {
	t.Helper()
	found, err := audit.Verify(t.Context(), store, anchor, list)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestVerify_rewritten: the log was written anew, through the store, so that every rule of the ledgers holds; the anchor tells.
func TestVerify_rewritten(t *testing.T) {
	t.Parallel()
	const n, at = 2345, 1500
	anchor, list := anchored(t, manyGrants(t, n, nil))
	if len(list) != 32*(n+1) || len(anchor.Ledgers) != 2 || len(anchor.Ledgers[0].Chain) != 2 {
		t.Fatalf("a list of %d bytes, ledgers %+v", len(list), anchor.Ledgers)
	}
	other := granted("forged", 7)
	for what, change := range map[string]func([]domain.Event) []domain.Event{
		"changed": func(e []domain.Event) []domain.Event { e[at] = other; return e },
		"removed": func(e []domain.Event) []domain.Event { return slices.Delete(e, at, at+1) },
		"added":   func(e []domain.Event) []domain.Event { return slices.Insert(e, at, domain.Event(other)) },
	} {
		forged := manyGrants(t, n, change)
		if report := run(t, forged.store, nil); report.Difference != nil {
			t.Fatalf("%s: the forged log breaks a rule: %v", what, report.Difference)
		}
		stream := ledger.Stream(alice)
		want := audit.AnchorDifference{Stream: stream, Revision: at, Through: at, What: what}
		if found := verified(t, forged.store, anchor, list); found.Difference == nil || *found.Difference != want {
			t.Errorf("with the list: %+v, want %+v", found.Difference, want)
		}
		want = audit.AnchorDifference{Stream: stream, Revision: 1000, Through: 1999, What: "differs"}
		if found := verified(t, forged.store, anchor, nil); found.Difference == nil || *found.Difference != want {
			t.Errorf("%s, without a list: %+v, want %+v", what, found.Difference, want)
		}
	}
}

// TestVerify_end: events at the end of a ledger, a whole ledger, and ledgers that the anchor lacks.
func TestVerify_end(t *testing.T) {
	t.Parallel()
	whole := manyGrants(t, 30, nil)
	anchor, list := anchored(t, whole)
	cut := manyGrants(t, 30, func(e []domain.Event) []domain.Event { return e[:28] })
	for _, l := range [][]byte{list, nil} {
		want := audit.AnchorDifference{Stream: ledger.Stream(alice), Revision: 28, Through: 29, What: "removed"}
		if found := verified(t, cut.store, anchor, l); found.Difference == nil || *found.Difference != want {
			t.Errorf("the end was cut off: %+v, want %+v", found.Difference, want)
		}
	}
	empty := newHistory(t)
	if found := verified(t, empty.store, anchor, list); found.Difference == nil || found.Difference.What != "removed" {
		t.Errorf("an empty log: %+v", found)
	}
	// What comes later is nobody's doing, whichever ledger it is on.
	whole.money(alice, granted("later", 1))
	if found := verified(t, whole.store, anchor, list); found.Difference != nil || found.Since != 1 || found.Events != 31 || found.Ledgers != 2 {
		t.Errorf("the log has grown: %+v", found)
	}
	// A ledger that says that it is older than the anchor was added.
	whole.money("carol", granted("opening", 1000))
	if found := verified(t, whole.store, anchor, list); found.Difference == nil || found.Difference.Stream != "ledger-carol" ||
		found.Difference.What != "added" {
		t.Errorf("a ledger was added: %+v", found)
	}
}

// TestTake_copied: an anchor holds for a copy of the log, whose events stand at other positions.
func TestTake_copied(t *testing.T) {
	t.Parallel()
	log := tapeOf(t, sound(t).store)
	moved := slices.Clone(log)
	for i := range moved {
		moved[i].Position.Commit += 5000
		moved[i].Position.Prepare += 5000
		moved[i].Created = moved[i].Created.Add(time.Hour)
	}
	anchor, list, err := audit.Take(t.Context(), log, t0)
	if err != nil {
		t.Fatal(err)
	}
	if found := verified(t, moved, anchor, list); found.Difference != nil || found.Events != 25 {
		t.Errorf("the copy: %+v", found)
	}
}

// TestSigned: an anchor opens with the key that has signed it, and not when anything in it has changed.
func TestSigned(t *testing.T) {
	t.Parallel()
	key, other := ed25519.NewKeyFromSeed(make([]byte, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	anchor, _ := anchored(t, manyGrants(t, 3, nil))
	signed, err := audit.Sign(anchor, key)
	if err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(signed, "", "  ") // a file that was formatted is the same anchor
	if err != nil {
		t.Fatal(err)
	}
	var again audit.Signed
	if err := json.Unmarshal(pretty, &again); err != nil {
		t.Fatal(err)
	}
	for _, public := range []ed25519.PublicKey{nil, signed.PublicKey} {
		if _, err := again.Open(public); err != nil {
			t.Errorf("the anchor does not open: %v", err)
		}
	}
	if _, err := again.Open(other.Public().(ed25519.PublicKey)); !errors.Is(err, audit.ErrForged) {
		t.Errorf("with another key: %v", err)
	}
	again.Anchor = bytes.Replace(again.Anchor, []byte(`"events": 3`), []byte(`"events": 2`), 1)
	if _, err := again.Open(nil); !errors.Is(err, audit.ErrForged) {
		t.Errorf("changed: %v", err)
	}
}

// TestVerify_malformed: an anchor that nobody has taken, although its list fits its digest, is refused.
func TestVerify_malformed(t *testing.T) {
	t.Parallel()
	h := manyGrants(t, 3, nil)
	for name, change := range map[string]func(*audit.AnchoredLedger){
		"more events than digests": func(one *audit.AnchoredLedger) { one.Events++ },
		"less than none":           func(one *audit.AnchoredLedger) { one.Events = -1 },
		"a digest too many":        func(one *audit.AnchoredLedger) { one.Chain = []string{"x"} },
	} {
		anchor, list := anchored(t, h)
		change(&anchor.Ledgers[0])
		if _, err := audit.Verify(t.Context(), h.store, anchor, list); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
