package commandstest

import (
	"context"
	"testing"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// SoundLedger replays a ledger's stream and returns its totals. It fails the test when a total is ever negative.
func SoundLedger(t *testing.T, log *eventstore.Log, stream string) ledger.Totals {
	t.Helper()
	l := ledger.New()
	n := 0
	_, err := log.Fold(context.Background(), stream, func(e domain.Event) {
		l.Apply(e)
		n++
		if totals := l.Totals(); totals.Available < 0 || totals.Balance < 0 || totals.Held < 0 {
			t.Errorf("after event %d: %+v", n, totals)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return l.Totals()
}
