package projections_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// slowStore answers questions for its end when it is told to.
type slowStore struct {
	*memory.Store
	asked   chan struct{} // gets an element when a question begins
	answers chan error    // lets one end, with an error or nil
}

func newSlowStore() *slowStore {
	return &slowStore{Store: memory.New(), asked: make(chan struct{}, 100), answers: make(chan error)}
}

func (s *slowStore) Head(ctx context.Context) (eventstore.Position, error) {
	head, err := s.Store.Head(ctx) // as it is when the question begins
	s.asked <- struct{}{}
	select {
	case failed := <-s.answers:
		return head, errors.Join(err, failed)
	case <-ctx.Done():
		return head, ctx.Err()
	}
}

// asking asks n times at once. wait returns the oldest answer, and how many calls have failed, once all have ended.
func asking(h *projections.Heads, n int) (wait func() (oldest eventstore.Position, failed int)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var oldest *eventstore.Position
	failed := 0
	for range n {
		all.Go(func() {
			head, err := h.Now(context.Background())
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				failed++
			case oldest == nil || head.Compare(*oldest) < 0:
				oldest = &head
			}
		})
	}
	return func() (eventstore.Position, int) {
		all.Wait()
		if oldest == nil {
			return eventstore.Position{}, failed
		}
		return *oldest, failed
	}
}

// Nobody gets an answer from before the question, and all who ask while a look is under way share the next one.
func TestHeads_AreNotOlderThanTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		log := eventstore.NewLog(store, eventstore.NewCodec())
		heads := projections.NewHeads(store)
		first := asking(heads, 1)
		synctest.Wait()
		end, err := log.Append(t.Context(), movie.Stream(project(1)), eventstore.NoStream, eventstore.Meta{Account: alice, Time: t0}, submitted(alice, t0))
		if err != nil {
			t.Fatal(err)
		}
		second := asking(heads, 50)
		synctest.Wait()
		if n := len(store.asked); n != 1 {
			t.Fatalf("%d looks are under way", n)
		}
		store.answers <- nil
		store.answers <- nil
		first()
		if oldest, failed := second(); oldest.Compare(end.Position) < 0 || failed > 0 {
			t.Errorf("an answer of %v, the log went to %v before the question; %d failed", oldest, end.Position, failed)
		}
		if n := len(store.asked); n != 2 {
			t.Errorf("%d looks", n)
		}
	})
}

// A caller who leaves takes the look from nobody else, and one that fails is not the next one's.
func TestHeads_WhoLeavesAndWhatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		heads := projections.NewHeads(store)
		busy := asking(heads, 1)
		synctest.Wait() // its look is under way: the others share one
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := heads.Now(ctx)
			left <- err
		}()
		synctest.Wait()
		rest := asking(heads, 3)
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		store.answers <- errors.New("away")
		store.answers <- nil
		if _, failed := busy(); failed != 1 {
			t.Error("the error was not told")
		}
		if _, failed := rest(); failed > 0 {
			t.Errorf("%d failed with those who left or asked before", failed)
		}
	})
}
