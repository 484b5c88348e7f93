package archived_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
)

// TestStore_waitsNoLongerThanItsContext: a call whose context ends does not wait for another one that reads the catalogue.
func TestStore_waitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	log := memory.New()
	reading, goOn := make(chan struct{}), make(chan struct{})
	log.Inject(memory.Faults{ReadFunc: func(context.Context) error {
		close(reading)
		<-goOn
		return nil
	}})
	store := archived.New(log, newFolder(), "movie")
	first := make(chan error, 1)
	go func() { first <- store.Examine(t.Context(), func(string, error) error { return nil }) }()
	<-reading
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	second := make(chan error, 1)
	go func() { second <- store.Examine(ended, func(string, error) error { return nil }) }()
	select {
	case err := <-second:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	case <-time.After(patience):
		t.Error("it still waits")
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
