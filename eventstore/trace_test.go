package eventstore_test

import (
	"testing"
	"time"

	"moviola/eventstore"
)

func TestStamp(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	elsewhere := time.FixedZone("elsewhere", 3600)
	got := eventstore.Clock(func() time.Time { return t0.Add(1_999_999).In(elsewhere) }).Stamp()
	if want := t0.Add(time.Millisecond); got != want {
		t.Errorf("stamp %v, want %v", got, want)
	}
}
