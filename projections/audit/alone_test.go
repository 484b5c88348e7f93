package audit_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/projections/audit"
)

// ledgerOnly is a log of which nothing but one ledger and its opening balance may be read.
type ledgerOnly struct {
	tape
	t      *testing.T
	stream string
}

func (l ledgerOnly) ReadAll(context.Context, eventstore.Direction, eventstore.Position) iter.Seq2[eventstore.Recorded, error] {
	l.t.Error("the whole log is read")
	return func(func(eventstore.Recorded, error) bool) {}
}

func (l ledgerOnly) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[
	eventstore.Recorded, error] {
	if _, account := eventstore.SplitStream(l.stream); stream != l.stream && stream != ledger.OpeningStream(domain.AccountID(account)) {
		l.t.Errorf("%s is read", stream)
	}
	return l.tape.ReadStream(ctx, stream, dir, from)
}

// TestRun_account: the statement of one account is what the whole log says of it, and is read from its ledger alone.
func TestRun_account(t *testing.T) {
	t.Parallel()
	log := tapeOf(t, sound(t).store)
	var want, got []audit.Line
	run(t, log, func(c *audit.Config) {
		c.Line = func(line audit.Line) error {
			if line.Account == alice {
				want = append(want, line)
			}
			return nil
		}
	})
	shelf := books()
	report := run(t, ledgerOnly{log, t, ledger.Stream(alice)}, func(c *audit.Config) {
		c.Account, c.Books = alice, shelf
		c.Line = func(line audit.Line) error { got = append(got, line); return nil }
	})
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("lines (-whole log +ledger):\n%s", diff)
	}
	entries := int64(len(want))
	wanted := audit.Report{Account: alice, Position: report.Position, Digest: report.Digest, Events: entries, Entries: entries, Accounts: 1,
		Granted: 100, Charged: 15, Held: 7, Open: 2, Balances: 1}
	if diff := cmp.Diff(wanted, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	balance := shelf.balances[alice]
	balance.Granted++
	shelf.balances[alice] = balance
	if report := run(t, log, func(c *audit.Config) { c.Account, c.Books = alice, shelf }); report.Difference == nil {
		t.Error("the read model has another balance, and that is no difference")
	}
}

// TestRun_accountTampered: what breaks the rules of a ledger is found in the ledger alone.
func TestRun_accountTampered(t *testing.T) {
	t.Parallel()
	log := tapeOf(t, sound(t).store)
	again := func(kind string) tape {
		l := slices.Clone(log)
		twice := l[l.indexOf(kind, 0)]
		return append(l, twice).renumber()
	}
	missing := slices.Clone(log)
	at := missing.indexOf("CreditsHeld", 0)
	for name, tt := range map[string]struct {
		log  tape
		want string
	}{
		"an entry is missing":                        {slices.Delete(missing, at, at+1), "follows"},
		"a hold is there twice, the first has ended": {again("CreditsHeld"), "held or counted twice"},
		"a grant is there twice":                     {again("CreditsGranted"), "is there twice"},
		"a charge is there twice":                    {again("CreditsCharged"), "nothing is open for it"},
	} {
		report := run(t, tt.log, func(c *audit.Config) { c.Account = alice })
		if report.Difference == nil || !strings.Contains(report.Difference.What, tt.want) {
			t.Errorf("%s: difference %v, want something about %q", name, report.Difference, tt.want)
		}
	}
}
