package keyring_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/projections/keyring"
)

// TestHolder finds keys with and without a subscription.
func TestHolder(t *testing.T) {
	for _, run := range []bool{false, true} {
		t.Run(fmt.Sprintf("running=%v", run), func(t *testing.T) {
			inWorld(t, keyring.Config{}, run, func(t *testing.T, w *world) {
				w.openAccount(alice)
				end := time.Now().Add(time.Minute)
				w.issue("plain")
				w.issue("ending", func(i *key.Issued) { i.ExpiresAt = &end })
				w.issue("primary", func(i *key.Issued) { i.Legacy, i.Role = key.Primary, key.Admin })
				w.issue("revoked")
				w.revoke("revoked")
				w.warm()
				want := map[string]keyring.Holder{
					"plain":   {Account: alice, Role: key.Render},
					"ending":  {Account: alice, Role: key.Render},
					"primary": {Account: alice, Role: key.Admin, Legacy: true},
				}
				for _, name := range []string{"plain", "ending", "primary", "revoked", "unknown"} {
					for range 2 {
						got, ok, err := w.ring.Holder(t.Context(), hashOf(name))
						if want, valid := want[name]; err != nil || ok != valid || got != want {
							t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
						}
					}
				}
				for _, hash := range []string{"", "short", hashOf("plain")[:32], hashOf("plain")[:63] + "x", "../../../../../../../../../../../" + hashOf("plain")} {
					if _, ok, err := w.ring.Holder(t.Context(), hash); ok || err != nil {
						t.Errorf("%q: %v, %v", hash, ok, err)
					}
				}
				<-time.After(time.Until(end) - time.Millisecond)
				if !w.opens("ending") {
					t.Error("a key has expired too early")
				}
				<-time.After(time.Millisecond)
				if w.opens("ending") {
					t.Error("a key opens at its end")
				}
			})
		})
	}
}

// TestHolder_Reads: an unknown key costs one read of its stream, a known one none while the subscription is live. Design §3.
func TestHolder_Reads(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("first")
		w.issue("second")
		w.wantReads("before anything is known", "first", 2) // the key and its account
		if got := w.ring.Status(); got != (keyring.Status{Reads: 2}) {
			t.Errorf("before anything is known: %+v", got)
		}
		w.warm()
		w.wantReads("known", "first", 0)
		w.wantReads("another key of the account", "second", 1)
		if got := w.readsOf(func() { w.opens("unknown") }); got != 1 {
			t.Errorf("a key that does not exist: %d reads", got)
		}
		for range 20 {
			<-time.After(200 * time.Millisecond)
			w.wantReads("while it is asked for", "first", 0)
		}
		if got := w.ring.Status(); got != (keyring.Status{Live: true, Reads: 5}) { // two keys, their account, and twice nobody's
			t.Errorf("while it is asked for: %+v", got)
		}
		<-time.After(time.Minute)
		w.wantReads("after a minute without a request", "first", 2)
		<-time.After(300 * time.Millisecond)
		w.wantReads("and then", "first", 0)
	})
}

// TestHolder_Unknown: a key that does not exist is read once, and again after something has been written under its name. However many are
// made up, few are read at the same time and few are remembered, and those who have a key do not wait for them.
func TestHolder_Unknown(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("known")
		w.warm()
		w.opens("known")
		again := func(times int) int64 {
			return w.readsOf(func() {
				for range times {
					if w.opens("unknown") {
						t.Error("a key that does not exist opens")
					}
				}
			})
		}
		if got := again(100); got != 1 {
			t.Errorf("the same unknown key 100 times: %d reads", got)
		}
		const many = 10_000
		made := func(from, to int) int64 {
			return w.readsOf(func() {
				var all sync.WaitGroup
				for n := from; n < to; n++ {
					all.Go(func() { w.opens(fmt.Sprint("made up ", n)) })
				}
				synctest.Wait()
				w.wantReads("while made-up keys are looked up", "known", 0)
				all.Wait()
			})
		}
		w.store.slow.Store(int64(time.Millisecond))
		const last = 100 // they all come after the others, which come in any order
		if got := made(0, many-last) + made(many-last, many); got != many {
			t.Errorf("%d made-up keys: %d reads", many, got)
		}
		if most := w.store.most.Load(); most != keyring.MaxReads {
			t.Errorf("%d streams were read at the same time", most)
		}
		w.warm()
		if got := made(many-last, many); got != 0 {
			t.Errorf("the last ones again: %d reads", got)
		}
		if got := again(1); got != 1 {
			t.Errorf("one that was asked for long before: %d reads", got)
		}
		w.store.slow.Store(0)
		w.issue("unknown")
		w.wantReads("a key that was issued since", "unknown", 1)
	})
}

// TestHolder_NotRunning: without a subscription nothing is trusted.
func TestHolder_NotRunning(t *testing.T) {
	inWorld(t, keyring.Config{}, false, func(_ *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		for range 3 {
			w.wantReads("without Run", "a", 2)
			<-time.After(time.Second)
		}
	})
}

// TestRun_Begins: what was read before the log is followed may have changed unseen, and does not count.
func TestRun_Begins(t *testing.T) {
	inWorld(t, keyring.Config{}, false, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		if !w.opens("a") {
			t.Error("the key does not open")
		}
		w.revoke("a")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.ring.Run(ctx) }()
		w.warm()
		if !w.ring.Status().Live || w.opens("a") {
			t.Errorf("the key opens, or the subscription is not live: %+v", w.ring.Status())
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestClosedAccount: the keys of a closed account open nothing.
func TestClosedAccount(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		w.openAccount(alice)
		w.issue("a")
		w.warm()
		if !w.opens("a") {
			t.Error("the key does not open")
		}
		w.append(account.Stream(alice), account.Closed{At: time.Now()})
		if w.opens("a") {
			t.Error("a key of a closed account opens")
		}
		w.issue("b")
		if w.opens("b") {
			t.Error("a key that was issued for a closed account opens")
		}
	})
}

// TestKeep: what is kept is bounded, and made-up keys drive nothing out.
func TestKeep(t *testing.T) {
	inWorld(t, keyring.Config{Keep: 2}, true, func(_ *testing.T, w *world) {
		w.openAccount(alice)
		for _, name := range []string{"a", "b", "c"} {
			w.issue(name)
		}
		w.warm()
		w.opens("a")
		w.opens("b")
		for n := range 100 {
			w.opens(fmt.Sprint("made up ", n))
		}
		w.wantReads("after made-up keys", "a", 0)
		w.wantReads("after made-up keys", "b", 0)
		w.wantReads("a third key", "c", 1)
		w.wantReads("the one used last before it", "b", 0)
		w.wantReads("the one used least", "a", 1)
	})
}

// TestRandom: whatever happens to the subscription, a key opens from its issue to its revocation, and at the latest a second after that
// no more.
func TestRandom(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			inWorld(t, keyring.Config{Keep: 5}, true, func(t *testing.T, w *world) {
				random := rand.New(rand.NewPCG(seed, 6))
				revoked := map[string]time.Time{}
				var names []string
				for range 400 {
					switch random.IntN(12) {
					case 0:
						names = append(names, fmt.Sprint("key ", len(names)))
						w.issue(names[len(names)-1])
					case 1:
						if len(names) > 0 {
							if name := names[random.IntN(len(names))]; revoked[name].IsZero() {
								w.revoke(name)
								revoked[name] = time.Now()
							}
						}
					case 2:
						w.store.hang.Store(random.IntN(2) == 0)
					case 3:
						w.store.DropSubscriptions()
					case 4, 5:
						<-time.After(time.Duration(random.IntN(700)) * time.Millisecond)
					case 6:
						w.append(fmt.Sprint("account-other", random.IntN(1000)), key.Revoked{At: time.Now()})
					default:
						for _, name := range names {
							end, over := revoked[name]
							if opens := w.opens(name); !over && !opens || over && opens && time.Since(end) > time.Second {
								t.Fatalf("%s: opens %v; revoked %v, %v ago", name, opens, over, time.Since(end))
							}
						}
					}
				}
			})
		})
	}
}

// TestHolder_unseenAccount: a key whose account is not to be seen yet opens nothing, and is not refused either: it cannot be told.
// Decision 60.
func TestHolder_unseenAccount(t *testing.T) {
	inWorld(t, keyring.Config{}, true, func(t *testing.T, w *world) {
		const late = domain.AccountID("late")
		w.issue("k", func(i *key.Issued) { i.Account = late })
		if _, ok, err := w.ring.Holder(t.Context(), hashOf("k")); ok || !errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("before the account is seen: %t, %v", ok, err)
		}
		w.append(account.Stream(late), account.Opened{At: time.Now()})
		if !w.opens("k") {
			t.Error("the key does not open once the account is seen")
		}
	})
}
