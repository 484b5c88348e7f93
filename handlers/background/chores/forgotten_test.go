package chores_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/idempotency"
	"moviola/domain/mailing"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/background/chores"
)

// reserve reserves a key, as a submission does.
func reserve(t *testing.T, log *eventstore.Log, key string, now time.Time) domain.ProjectID {
	t.Helper()
	var k idempotency.Key
	_, err := log.Decide(t.Context(), idempotency.Stream("a", key), &k, func() (eventstore.Decision, error) {
		events, err := k.Reserve(domain.ProjectID(key+now.Format("0215")), "hash", idempotency.Accepted, now)
		return eventstore.Decision{Meta: eventstore.Meta{Account: "a", Time: now}, Events: events}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	reserved, _ := k.Reservation(now)
	return reserved.Project
}

func streamLength(t *testing.T, store eventstore.Store, stream string) (n int) {
	t.Helper()
	for _, err := range store.ReadStream(t.Context(), stream, eventstore.Forwards, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestForgotten discards the streams of keys that mean nothing any more, each once, and a key that comes again gets a new project.
// Decision 93.
func TestForgotten(t *testing.T) {
	t.Parallel()
	now := written
	store := memory.New(memory.WithClock(func() time.Time { return now }))
	log := eventstore.NewLog(store, eventstore.NewCodec())
	discards := true
	chore := chores.Forgotten(store, func(context.Context) (bool, error) { return discards, nil }, silent())
	round := func() {
		t.Helper()
		if err := chore.Do(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 2100 { // more than two steps
		reserve(t, log, fmt.Sprint("key", n), now)
	}
	old, renewed := reserve(t, log, "old", now), reserve(t, log, "renewed", now)
	mails := mailing.Stream("a", now)
	if _, err := log.Append(t.Context(), mails, eventstore.NoStream, eventstore.Meta{Account: "a", Time: now},
		mailing.RecipientsCounted{Mail: "m", Recipients: 1, At: now}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(24*time.Hour + time.Minute)
	if again := reserve(t, log, "renewed", now); again == renewed {
		t.Error("a key of yesterday still has its project")
	}
	reserve(t, log, "young", now)
	round()
	want := func(when string, old, renewed, young, mail int) {
		t.Helper()
		for stream, want := range map[string]int{
			idempotency.Stream("a", "old"): old, idempotency.Stream("a", "key2099"): old, idempotency.Stream("a", "renewed"): renewed,
			idempotency.Stream("a", "young"): young, mails: mail,
		} {
			if got := streamLength(t, store, stream); got != want {
				t.Errorf("%s: %s has %d events, want %d", when, stream, got, want)
			}
		}
	}
	want("24 hours later", 1, 2, 1, 1)
	now = now.Add(time.Hour)
	discards = false
	round()
	want("with a store that cannot discard", 1, 2, 1, 1)
	discards = true
	round()
	want("25 hours later", 0, 2, 1, 0)
	head, err := store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	round()
	if after, err := store.Head(t.Context()); err != nil || after != head {
		t.Errorf("another round has written to the log: %v, %v", after, err)
	}
	if again := reserve(t, log, "old", now); again == old {
		t.Error("a discarded key has its project of yesterday")
	}
	again := reserve(t, log, "old", now.Add(time.Hour))
	if first := reserve(t, log, "old", now); again != first {
		t.Errorf("the key has the projects %s and %s", first, again)
	}
	now = now.Add(26 * time.Hour)
	round()
	want("a day later", 0, 0, 0, 0)
}
