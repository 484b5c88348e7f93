package commands_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// counting records the streams that are read from a store, and appended to.
type counting struct {
	eventstore.Store
	mu             sync.Mutex
	reads, appends []string // streams
}

func (c *counting) note(list *[]string, stream string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, stream)
}

func (c *counting) Append(ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed) (eventstore.Appended, error) {
	c.note(&c.appends, stream)
	return c.Store.Append(ctx, stream, expected, events...)
}

func (c *counting) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	c.note(&c.reads, stream)
	return c.Store.ReadStream(ctx, stream, dir, from)
}

// A submission of an account whose plan and ledger are in memory makes two appends, and reads nothing from the log.
func TestSubmitMovie_ReadsNothingForAnAccountInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	count := &counting{Store: w.store}
	log := eventstore.NewLog(count, eventstore.NewCodec())
	ledgers := ledgers.New(log, w.clock)
	defer ledgers.Close()
	submit := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: log, Ledgers: ledgers, Files: w.files, NewProject: w.newProject, Now: w.clock,
	})
	for range 3 {
		count.reads, count.appends = nil, nil
		w.must(submit.Admit(t.Context(), alice, ""))
		_, err := submit.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
		w.must(err)
	}
	if len(count.reads) != 0 || len(count.appends) != 2 {
		t.Errorf("reads of %v, appends to %v", count.reads, count.appends)
	}
}

// Credits that another process has held are noticed at the append of the hold; credits that another process has granted are
// noticed before a refusal.
func TestSubmitMovie_BesideAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.submitted() // 7 of 100 are held, and this process knows
	other := ledgers.New(w.log, w.clock)
	defer other.Close()
	_, err := other.Hold(t.Context(), ledgers.Hold{Account: alice, Project: "project000000100", Amount: 90})
	w.must(err)
	submit := func() error {
		_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(sevenSeconds)})
		return err
	}
	requireRefusal(t, submit(), errInsufficient)
	w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld", "CreditsHeld")
	w.wantFiles(string(blobkey.Document(alice, project)))
	_, err = other.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "more", Kind: "pack", Amount: 50})
	w.must(err)
	w.must(submit())
	w.wantEvents(ledgerStream, "CreditsGranted", "CreditsHeld", "CreditsHeld", "CreditsGranted", "CreditsHeld")
	totals, err := other.State(t.Context(), alice)
	w.must(err)
	if want := (ledger.Totals{Granted: 150, Held: 104, Balance: 150, Available: 46, EverGranted: true, Pack: true}); totals != want {
		t.Errorf("totals %+v", totals)
	}
}
