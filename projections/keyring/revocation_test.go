package keyring_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections/keyring"
)

// TestRevocation: it counts as soon as the subscription brings it, and at once where it was made.
func TestRevocation(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.issue("a")
		w.issue("b")
		w.warm()
		if !w.opens("a") || !w.opens("b") {
			t.Error("keys do not open")
		}
		w.revoke("a")
		if w.opens("a") || !w.opens("b") {
			t.Error("a revoked key opens, or another does not")
		}
		w.store.hang.Store(true) // the subscription says nothing any more
		w.revoke("b")
		w.ring.Forget(key.ID(hashOf("b")))
		if w.opens("b") {
			t.Error("a revoked key opens where it was revoked")
		}
	})
}

// TestRevocation_Silence: a subscription that hangs without an error is not trusted for longer than a second.
func TestRevocation_Silence(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		w.warm()
		w.opens("a")
		w.store.hang.Store(true)
		w.revoke("a")
		revoked := time.Now()
		for w.opens("a") {
			if time.Since(revoked) > time.Second {
				t.Fatalf("the key opens %v after its revocation", time.Since(revoked))
			}
			<-time.After(10 * time.Millisecond)
		}
		w.store.hang.Store(false)
		w.issue("later")
		<-time.After(10 * time.Second) // the follower finds out and begins anew
		w.warm()
		w.opens("later")
		w.wantReads("after the subscription was opened again", "later", 0)
	})
}

// TestRevocation_Outage: while the log is away nobody is let in on what was known before.
func TestRevocation_Outage(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		w.warm()
		w.opens("a")
		w.store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return eventstore.ErrUnavailable }})
		w.store.DropSubscriptions()
		<-time.After(time.Second)
		asked := time.Now()
		if _, ok, err := w.ring.Holder(t.Context(), hashOf("a")); ok || !errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("during the outage: %v, %v", ok, err)
		}
		if took := time.Since(asked); took > 6*time.Second {
			t.Errorf("it took %v to say so", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok, err := w.ring.Holder(ctx, hashOf("a")); ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller who does not wait: %v, %v", ok, err)
		}
		w.store.Inject(memory.Faults{})
		if !w.opens("a") {
			t.Error("after the outage the key does not open")
		}
		<-time.After(5 * time.Second)
		w.warm()
		w.opens("a")
		w.wantReads("after the outage", "a", 0)
	})
}

// TestRevocation_MeetsARead: what was read before a revocation, and arrives after it, is not kept.
func TestRevocation_MeetsARead(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.issue("a")
		w.warm()
		w.store.slow.Store(int64(100 * time.Millisecond))
		opened := make(chan bool)
		go func() { opened <- w.opens("a") }()
		<-time.After(50 * time.Millisecond) // the stream has been read, and is on its way
		w.store.slow.Store(0)
		w.revoke("a")
		if w.opens("a") {
			t.Error("a request after the revocation joins a read from before it")
		}
		<-opened // this request came first
		if w.opens("a") {
			t.Error("a read from before the revocation was kept")
		}
	})
}

// TestRevocation_MeetsARead_Silence: while nothing is known of the subscription, nobody waits for a read that began before him.
func TestRevocation_MeetsARead_Silence(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		w.store.hang.Store(true)
		w.issue("b") // what the subscription hangs on
		w.store.slow.Store(int64(100 * time.Millisecond))
		opened := make(chan bool)
		go func() { opened <- w.opens("a") }()
		<-time.After(50 * time.Millisecond)
		w.store.slow.Store(0)
		w.revoke("a")
		if w.opens("a") {
			t.Error("a request after the revocation joins a read from before it")
		}
		<-opened
		if w.opens("a") {
			t.Error("a revoked key opens")
		}
	})
}
