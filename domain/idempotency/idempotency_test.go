package idempotency_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/idempotency"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// TestKey_Reserve: decision 25.
func TestKey_Reserve(t *testing.T) {
	t.Parallel()
	first := idempotency.Reserved{Project: "first", BodyHash: "a", At: t0}
	tests := []struct {
		name    string
		given   []domain.Event
		body    string
		fate    idempotency.Fate
		after   time.Duration
		renewed bool
		refused bool
	}{
		{name: "new", body: "a", renewed: true},
		{name: "same body, under way", given: []domain.Event{first}, body: "a", after: time.Second},
		{name: "same body, refused long ago", given: []domain.Event{first}, body: "a", after: time.Hour},
		{name: "same body, accepted", given: []domain.Event{first}, body: "a", fate: idempotency.Accepted, after: 24*time.Hour - 1},
		{name: "same body, abandoned", given: []domain.Event{first}, body: "a", fate: idempotency.Abandoned, after: time.Hour, renewed: true},
		{name: "same body, forgotten", given: []domain.Event{first}, body: "a", fate: idempotency.Accepted, after: 24 * time.Hour, renewed: true},
		{name: "other body, accepted", given: []domain.Event{first}, body: "b", fate: idempotency.Accepted, after: time.Hour, refused: true},
		{name: "other body, under way", given: []domain.Event{first}, body: "b", after: time.Minute - 1, refused: true},
		{name: "other body, the first was refused", given: []domain.Event{first}, body: "b", after: time.Minute, renewed: true},
		{name: "other body, abandoned", given: []domain.Event{first}, body: "b", fate: idempotency.Abandoned, after: time.Hour, renewed: true},
		{name: "other body, forgotten", given: []domain.Event{first}, body: "b", fate: idempotency.Accepted, after: 24 * time.Hour, renewed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var k idempotency.Key
			for _, event := range tt.given {
				k.Apply(event)
			}
			now := t0.Add(tt.after)
			got, err := k.Reserve("second", tt.body, tt.fate, now)
			var want []domain.Event
			if tt.renewed {
				want = append(want, idempotency.Reserved{Project: "second", BodyHash: tt.body, At: now})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			var refusal *domain.Error
			if refused := errors.As(err, &refusal) && refusal.Kind == domain.Conflict && refusal.Code == "idempotency_key_reused"; refused != tt.refused {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{"": true, "a": true, strings.Repeat("é", 255): true, strings.Repeat("é", 256): false} {
		if err := idempotency.CheckKey(key); (err == nil) != ok {
			t.Errorf("%d characters: %v", len(key), err)
		}
	}
}

// TestStream: a client's key shows in no stream name, and two accounts never share a stream.
func TestStream(t *testing.T) {
	t.Parallel()
	a, b := idempotency.Stream("alice", "secret key"), idempotency.Stream("bob", "secret key")
	if a == b || strings.Contains(a, "secret") || a != idempotency.Stream("alice", "secret key") {
		t.Errorf("%s, %s", a, b)
	}
}
