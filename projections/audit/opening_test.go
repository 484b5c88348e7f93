package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/projections/audit"
)

var (
	ownKey   = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	otherKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
)

// openingAt returns the opening balance of an account after an event of its ledger, as the service makes it.
func (h *history) openingAt(account domain.AccountID, revision int64) ledger.Opened {
	h.t.Helper()
	l, o := ledger.New(), ledger.Opened{Revision: revision, Version: ledger.StateVersion, At: t0}
	for recorded, err := range h.store.ReadStream(h.t.Context(), ledger.Stream(account), eventstore.Forwards, 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if int64(recorded.Revision) > revision {
			break
		}
		event, _, err := h.log.Codec().Decode(recorded)
		if err != nil {
			h.t.Fatal(err)
		}
		l.Apply(event)
		o.Event = recorded.ID.String()
	}
	o.State = l.State()
	return o
}

// TestRun_openings: an opening balance after any event of a ledger agrees with the audit's own account of the events.
func TestRun_openings(t *testing.T) {
	t.Parallel()
	for account, entries := range map[domain.AccountID]int64{alice: 19, bob: 6} {
		for revision := range entries {
			h := sound(t)
			if err := h.log.AppendOpening(t.Context(), account, eventstore.Meta{Time: t0}, h.openingAt(account, revision), ownKey); err != nil {
				t.Fatal(err)
			}
			for _, alone := range []domain.AccountID{"", account} {
				report := run(t, h.store, func(c *audit.Config) { c.Key, c.Account = ownKey.Public().(ed25519.PublicKey), alone })
				if report.Difference != nil || report.Openings != 1 {
					t.Errorf("%s after %d: %+v, %d compared", account, revision, report.Difference, report.Openings)
				}
			}
		}
	}
}

// TestRun_forgedOpening: an opening balance that says anything else than the events before it is a difference that names it, also if
// it is signed with the installation's key; so is one without that signature.
func TestRun_forgedOpening(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*ledger.Opened)
		what   string
	}{
		"granted":         {func(o *ledger.Opened) { o.State.Granted++ }, "granted credits"},
		"charged":         {func(o *ledger.Opened) { o.State.Charged-- }, "charged credits"},
		"pack":            {func(o *ledger.Opened) { o.State.Pack = true }, "credit packs"},
		"closed":          {func(o *ledger.Opened) { o.State.Closed = true }, "closed"},
		"zero":            {func(o *ledger.Opened) { o.State.Zero = 7 }, "balance of zero"},
		"purged":          {func(o *ledger.Opened) { o.State.Purged = 7 }, "purge"},
		"a reference":     {func(o *ledger.Opened) { o.State.Grants = nil }, "references"},
		"a hold":          {func(o *ledger.Opened) { o.State.Open = nil }, "open holds"},
		"a hold's amount": {func(o *ledger.Opened) { o.State.Open[0].Amount++ }, "open holds"},
		"a count": {func(o *ledger.Opened) {
			o.State.Counts = []ledger.OpenState{{Project: "more", Period: "2026-11"}}
		}, "open counts"},
		"a month":          {func(o *ledger.Opened) { o.State.Used = []ledger.UsedState{{Period: "2026-11", Movies: 1}} }, "months"},
		"what has ended":   {func(o *ledger.Opened) { o.State.Ended = o.State.Ended[1:] }, "have ended"},
		"another event":    {func(o *ledger.Opened) { o.Event = "8f14e45f-ceea-567a-9e2b-3a1c5d6e7f80" }, "stands on event 6"},
		"after the end":    {func(o *ledger.Opened) { o.Revision = 1000 }, "does not have"},
		"by another's key": {nil, "signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sound(t)
			opened, key := h.openingAt(alice, 6), ownKey
			if c.change == nil {
				key = otherKey
			} else {
				c.change(&opened)
			}
			if err := h.log.AppendOpening(t.Context(), alice, eventstore.Meta{Time: t0}, opened, key); err != nil {
				t.Fatal(err)
			}
			d := run(t, h.store, func(c *audit.Config) { c.Key = ownKey.Public().(ed25519.PublicKey) }).Difference
			if d == nil || d.Account != alice || d.Stream != ledger.OpeningStream(alice) || d.Revision != 0 || !strings.Contains(d.What, c.what) {
				t.Errorf("difference %+v, want one about %q", d, c.what)
			}
		})
	}
}
