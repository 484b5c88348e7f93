package books_test

import (
	"context"
	"crypto/rand"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// memoryWorks ends all faults.
var memoryWorks = memory.Faults{}

func (p process) completer() accounts.CompleteOpeningHandler {
	return accounts.NewCompleteOpeningHandler(accounts.CompleteOpeningConfig{
		Log: p.log, Ledgers: p.ledgers, FirstKeys: []byte("0123456789abcdef0123456789abcdef"), Now: p.clock,
	})
}

func (p process) openAccount(id domain.AccountID) error {
	h := accounts.NewOpenAccountHandler(accounts.OpenAccountConfig{Log: p.log, Complete: p.completer(), Random: rand.Reader, Now: p.clock})
	_, err := h.Handle(context.Background(), accounts.OpenAccount{ID: id, Name: "New"})
	return err
}

func (p process) completeAccount(id domain.AccountID) error {
	_, err := p.completer().Handle(context.Background(), accounts.CompleteOpening{Account: id})
	return err
}

// streams counts the streams of a category.
func (w *world) streams(category string) int {
	w.t.Helper()
	seen := make(map[string]bool)
	for r, err := range w.store.ReadAll(context.Background(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if got, _ := eventstore.SplitStream(r.Stream); got == category {
			seen[r.Stream] = true
		}
	}
	return len(seen)
}

// count counts the events of a stream.
func (w *world) count(stream string) int {
	w.t.Helper()
	n := 0
	for _, err := range w.store.ReadStream(context.Background(), stream, eventstore.Forwards, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		n++
	}
	return n
}
