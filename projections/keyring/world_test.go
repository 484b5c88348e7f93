package keyring_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections/keyring"
)

const alice = domain.AccountID("alice")

// store is a log whose subscriptions can hang without a word, and that counts what is read.
type store struct {
	*memory.Store
	hang  atomic.Bool
	reads atomic.Int64 // of streams
	slow  atomic.Int64 // nanoseconds that a read of a stream takes after it has seen the stream
	now   atomic.Int64 // streams that are being read
	most  atomic.Int64 // the most that were
}

// ReadStream implements eventstore.Store.
func (s *store) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		s.reads.Add(1)
		for now, most := s.now.Add(1), s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
		}
		defer s.now.Add(-1)
		type pair struct {
			event eventstore.Recorded
			err   error
		}
		var seen []pair
		for recorded, err := range s.Store.ReadStream(ctx, stream, dir, from) {
			seen = append(seen, pair{recorded, err})
		}
		if delay := s.slow.Load(); delay > 0 {
			<-time.After(time.Duration(delay))
		}
		for _, p := range seen {
			if !yield(p.event, p.err) {
				return
			}
		}
	}
}

// Subscribe implements eventstore.Store.
func (s *store) Subscribe(ctx context.Context, after eventstore.Position, filter eventstore.Filter) (eventstore.Subscription, error) {
	sub, err := s.Store.Subscribe(ctx, after, filter)
	return hanging{sub, s}, err
}

type hanging struct {
	eventstore.Subscription
	store *store
}

// Next implements eventstore.Subscription.
func (h hanging) Next(ctx context.Context) (eventstore.Notice, error) {
	notice, err := h.Subscription.Next(ctx)
	if err == nil && h.store.hang.Load() {
		<-ctx.Done()
		return eventstore.Notice{}, ctx.Err()
	}
	return notice, err
}

// world is a log with one process's ring over it, in a bubble of its own time.
type world struct {
	t     *testing.T
	store *store
	log   *eventstore.Log
	ring  *keyring.Ring
}

// inWorld runs a test in a bubble. The ring runs when run is true, and has ended when the test has.
func inWorld(t *testing.T, config keyring.Config, run bool, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, store: &store{Store: memory.New()}}
		w.log = eventstore.NewLog(w.store, eventstore.NewCodec())
		w.append(account.Stream(alice), account.Opened{At: time.Now()})
		config.Log = w.log
		w.ring = keyring.New(config)
		if run {
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.ring.Run(ctx) }()
			defer func() {
				stop()
				if err := <-ended; err != nil {
					t.Errorf("Run: %v", err)
				}
			}()
			synctest.Wait()
		}
		test(t, w)
	})
}

func hashOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

func (w *world) append(stream string, event domain.Event) {
	w.t.Helper()
	at, err := w.log.Last(w.t.Context(), stream)
	if err == nil {
		_, err = w.log.Append(w.t.Context(), stream, at.Revision, eventstore.Meta{Time: time.Now()}, event)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait() // the subscription has brought it, unless it hangs
}

// issue issues the key of a name to alice.
func (w *world) issue(name string, change ...func(*key.Issued)) {
	w.t.Helper()
	i := key.Issued{Account: alice, Name: name, Role: key.Render, Hash: hashOf(name), At: time.Now()}
	for _, c := range change {
		c(&i)
	}
	w.append(key.Stream(key.ID(i.Hash)), i)
}

func (w *world) revoke(name string) {
	w.t.Helper()
	w.append(key.Stream(key.ID(hashOf(name))), key.Revoked{At: time.Now()})
}

// opens says whether the key of a name lets anybody in.
func (w *world) opens(name string) bool {
	w.t.Helper()
	_, ok, err := w.ring.Holder(w.t.Context(), hashOf(name))
	if err != nil {
		w.t.Fatalf("key %s: %v", name, err)
	}
	return ok
}

// readsOf is how many streams are read while something is done.
func (w *world) readsOf(do func()) int64 {
	before := w.store.reads.Load()
	do()
	return w.store.reads.Load() - before
}

// wantReads checks how many streams one look at a valid key reads.
func (w *world) wantReads(what, name string, want int64) {
	w.t.Helper()
	if got := w.readsOf(func() {
		if !w.opens(name) {
			w.t.Errorf("%s: the key does not open", what)
		}
	}); got != want {
		w.t.Errorf("%s: %d streams were read, want %d", what, got, want)
	}
}

// warm makes the ring's subscription known to be live.
func (w *world) warm() {
	w.opens("nobody")
	<-time.After(300 * time.Millisecond)
}

// openAccount puts an account into the log.
func (w *world) openAccount(id domain.AccountID) {
	w.t.Helper()
	w.append(account.Stream(id), account.Opened{Name: fmt.Sprint(id), Plan: "paid", At: time.Now()})
}
