package fair_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"moviola/internal/fair"
	_ "moviola/tests/property"
)

// order is in which order pieces of accounts are served.
type order chan string

// take lets a piece wait, holds its part until it is told to go on, and says when it was served.
func (o order) take(ctx context.Context, b *fair.Budget, account string, size int64, next <-chan struct{}) {
	go func() {
		part, err := b.Take(ctx, account, size)
		if err != nil {
			o <- err.Error()
			return
		}
		o <- account
		<-next
		part.Release()
	}()
	synctest.Wait()
}

// TestFlood: behind fifty pieces of one account another account's piece is the next one that is served, and so on in turns.
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := fair.New(fair.Limits{Total: 10})
		served, next := make(order, 100), make(chan struct{})
		for range 50 {
			served.take(t.Context(), b, "flood", 10, next)
		}
		for _, account := range []string{"one", "two", "one"} {
			served.take(t.Context(), b, account, 6, next) // two of them do not fit beside each other: each is served alone
		}
		var got []string
		for range 5 {
			next <- struct{}{}
			synctest.Wait()
		}
		for range 6 {
			got = append(got, <-served)
		}
		if want := "flood one two flood one flood"; strings.Join(got, " ") != want {
			t.Errorf("served %s, want %s", strings.Join(got, " "), want)
		}
		go func() {
			for range 48 {
				next <- struct{}{}
			}
		}()
		for range 47 {
			<-served
		}
		synctest.Wait()
		if b.Held() != 0 {
			t.Errorf("%d are still held", b.Held())
		}
	})
}

// TestShare: an account that has as much as it may have keeps nobody else out.
func TestShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := fair.New(fair.Limits{Total: 10, Account: 5})
		served, next := make(order, 100), make(chan struct{})
		for range 50 {
			served.take(t.Context(), b, "flood", 7, next) // cut down to 5
		}
		served.take(t.Context(), b, "one", 5, next)
		if got := []string{<-served, <-served}; got[0] != "flood" || got[1] != "one" || len(served) != 0 {
			t.Errorf("served %v and %d more", got, len(served))
		}
		go func() {
			for range 51 {
				next <- struct{}{}
			}
		}()
		for range 49 {
			<-served
		}
	})
}

// TestWaiting: who waits too long, and what is too much of an account, is told so; who goes away leaves his place to others.
func TestWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := fair.New(fair.Limits{Total: 10, Waiting: 2, Wait: time.Minute})
		first, err := b.Take(t.Context(), "flood", 10)
		if err != nil {
			t.Fatal(err)
		}
		served, next := make(order, 10), make(chan struct{})
		gone, leave := context.WithCancelCause(t.Context())
		served.take(gone, b, "flood", 10, next)
		served.take(t.Context(), b, "flood", 10, next)
		if _, err := b.Take(t.Context(), "flood", 1); !errors.Is(err, fair.ErrBusy) {
			t.Errorf("a third piece that waits: %v", err)
		}
		leave(errors.New("gone"))
		if got := <-served; got != "gone" {
			t.Errorf("who goes away: %s", got)
		}
		began := time.Now()
		if got := <-served; got != fair.ErrBusy.Error() || time.Since(began) != time.Minute {
			t.Errorf("who waits too long: %s after %s", got, time.Since(began))
		}
		first.Release()
		first.Release()
		last, err := b.Take(t.Context(), "flood", 10)
		if err != nil || b.Held() != 10 {
			t.Errorf("when all is free again: %v, %d held", err, b.Held())
		}
		last.Release()
	})
}

// TestGrow: a part grows within the bounds, and shrinks.
func TestGrow(t *testing.T) {
	t.Parallel()
	b := fair.New(fair.Limits{Total: 10, Account: 6})
	one, _ := b.Take(t.Context(), "one", 2)
	two, _ := b.Take(t.Context(), "two", 3)
	for _, row := range []struct {
		part *fair.Part
		to   int64
		want bool
		held int64
	}{{one, 6, true, 9}, {one, 7, false, 9}, {two, 5, false, 9}, {two, 4, true, 10}, {two, 1, true, 10}} {
		if got := row.part.Grow(row.to); got != row.want || b.Held() != row.held {
			t.Errorf("grow to %d: %v with %d held, want %v with %d", row.to, got, b.Held(), row.want, row.held)
		}
	}
	one.Shrink(1)
	two.Shrink(9)
	if b.Held() != 5 {
		t.Errorf("%d are held after shrinking", b.Held())
	}
}

// run is a budget that is tried out, with what its rules say of it.
type run struct {
	*rapid.T
	limits fair.Limits
	budget *fair.Budget
	ctx    context.Context
	pieces []*tried // those that wait or have a part, in the order in which they came
}

type tried struct {
	account string
	size    int64
	leave   context.CancelFunc
	done    chan struct{} // closed when it has a part, or has left
	part    *fair.Part
	err     error
}

func (r *run) come() {
	ctx, cancel := context.WithCancel(r.ctx)
	p := &tried{
		account: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r.T, "account"), size: rapid.Int64Range(0, 12).Draw(r.T, "size"),
		leave: cancel, done: make(chan struct{}),
	}
	r.pieces = append(r.pieces, p)
	go func() {
		defer close(p.done)
		p.part, p.err = r.budget.Take(ctx, p.account, p.size)
	}()
	r.settle()
}

// end has one that waits leave, or one that has a part give it back.
func (r *run) end() {
	if len(r.pieces) == 0 {
		return
	}
	p := rapid.SampledFrom(r.pieces).Draw(r.T, "piece")
	p.end()
	r.pieces = without(r.pieces, p)
	r.settle()
}

func (p *tried) end() {
	if isOver(p) {
		p.part.Release()
	}
	p.leave()
}

func without(all []*tried, one *tried) []*tried {
	var rest []*tried
	for _, p := range all {
		if p != one {
			rest = append(rest, p)
		}
	}
	return rest
}

func isOver(p *tried) bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// settle looks at what has come of the last step.
func (r *run) settle() {
	synctest.Wait()
	held, first := map[string]int64{}, map[string]*tried{}
	var total int64
	for _, p := range r.pieces {
		if isOver(p) {
			if p.err != nil {
				r.Fatalf("a piece of %s was refused: %v", p.account, p.err)
			}
			if first[p.account] != nil {
				r.Fatalf("a piece of %s was served before an earlier one", p.account)
			}
			size := min(p.size, r.limits.Account)
			held[p.account] += size
			total += size
		} else if first[p.account] == nil {
			first[p.account] = p
		}
	}
	if total != r.budget.Held() || total > r.limits.Total {
		r.Fatalf("%d are held of %d, and the budget says %d", total, r.limits.Total, r.budget.Held())
	}
	fits := len(first) == 0
	for account, p := range first {
		size := min(p.size, r.limits.Account)
		if held[account]+size > r.limits.Account || total+size > r.limits.Total {
			fits = true // one at least has to wait, and may be the one that is next
		}
	}
	for account, most := range held {
		if most > r.limits.Account {
			r.Fatalf("%s has %d of %d", account, most, r.limits.Account)
		}
	}
	if !fits {
		r.Fatalf("all of those that wait would fit: %d of %d are held", total, r.limits.Total)
	}
}

// TestBudget holds the bounds, the order within an account, and that something always waits for a reason, over random pieces that come and go.
func TestBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(*testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			total := rapid.Int64Range(1, 20).Draw(rt, "total")
			limits := fair.Limits{Total: total, Account: rapid.Int64Range(1, total).Draw(rt, "of an account")}
			r := &run{T: rt, limits: limits, budget: fair.New(limits), ctx: ctx}
			for range rapid.IntRange(1, 40).Draw(rt, "steps") {
				if rapid.Bool().Draw(rt, "comes") {
					r.come()
				} else {
					r.end()
				}
			}
			for len(r.pieces) > 0 {
				r.pieces[0].end()
				r.pieces = r.pieces[1:]
				synctest.Wait()
			}
			cancel()
			if held := r.budget.Held(); held != 0 {
				rt.Fatalf("%d are held when all have gone", held)
			}
		})
	})
}

// TestTurns: however many pieces accounts have waiting, none is served twice before another that has waited since.
func TestTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			b := fair.New(fair.Limits{Total: 1})
			served, next := make(order, 1000), make(chan struct{})
			waiting := map[string]int{}
			since := map[string]map[string]int{} // turns of others since an account began to wait or had its turn
			turn := func() {
				account := <-served
				waiting[account]--
				since[account] = map[string]int{}
				for other, n := range waiting {
					if n == 0 || other == account {
						continue
					}
					if since[other][account]++; since[other][account] > 1 {
						rt.Fatalf("%s was served twice while %s waited", account, other)
					}
				}
			}
			left := 0
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				if left == 0 || rapid.IntRange(0, 2).Draw(rt, "step") > 0 {
					account := fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "account"))
					if waiting[account] == 0 {
						since[account] = map[string]int{}
					}
					waiting[account]++
					left++
					served.take(t.Context(), b, account, 1, next)
					if left == 1 {
						turn()
					}
					continue
				}
				next <- struct{}{}
				synctest.Wait()
				if left--; left > 0 {
					turn()
				}
			}
			for ; left > 0; left-- {
				next <- struct{}{}
				synctest.Wait()
			}
		})
	})
}
