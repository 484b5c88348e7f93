package eventstoredb_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
)

// A server in the same process is waited for longer than one that may not be there.
func TestConfig_patience(t *testing.T) {
	t.Parallel()
	for patience, want := range map[time.Duration]time.Duration{0: time.Second, 30 * time.Second: 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			waited, err := eventstoredb.Wait(t.Context(), patience)
			if waited != want || !errors.Is(err, eventstore.ErrUnavailable) {
				t.Errorf("with a patience of %v a call waited %v, and got %v", patience, waited, err)
			}
		})
	}
}
