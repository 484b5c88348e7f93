package quota_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"moviola/internal/quota"
	_ "moviola/tests/property"
)

// place is a fake storage: the bytes and files that each account keeps.
type place struct {
	kept   map[string]int64
	files  map[string]int64
	counts int
	fails  error
}

func (p *place) count(_ context.Context, account string) (quota.Amount, error) {
	p.counts++
	var sum quota.Amount
	for name, bytes := range p.kept {
		if account == "" || account == name {
			sum.Bytes += bytes
			sum.Files += p.files[name]
		}
	}
	return sum, p.fails
}

// bytes returns limits of bytes for an account and in total, without limits of files.
func bytes(account, total int64) quota.Limits {
	return quota.Limits{Account: quota.Amount{Bytes: account}, Total: quota.Amount{Bytes: total}}
}

func wantFull(t *testing.T, err error, all bool) {
	t.Helper()
	var full *quota.FullError
	if !errors.As(err, &full) || full.All != all {
		t.Errorf("got %v, want a bound of all: %v", err, all)
	}
}

// TestBound: existing and unfinished files are counted; an error tells which of the two bounds is full; dropped and removed
// files free space.
func TestBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &place{kept: map[string]int64{"a": 50, "b": 20}}
		b := quota.New(bytes(100, 140), p.count)
		one, two := b.Begin("a"), b.Begin("a")
		if err := errors.Join(one.Add(t.Context(), 20), one.Add(t.Context(), 20), two.Add(t.Context(), 10)); err != nil {
			t.Fatal(err)
		}
		wantFull(t, two.Add(t.Context(), 1), false)
		other := b.Begin("b")
		wantFull(t, other.Add(t.Context(), 21), true)
		if err := other.Add(t.Context(), 20); err != nil {
			t.Error(err)
		}
		want := quota.Status{Limits: bytes(100, 140), Kept: quota.Amount{Bytes: 140, Files: 3}, Refused: quota.Refusals{Account: 1, Total: 1}}
		if got := b.Status(); got != want {
			t.Errorf("operators see %+v, want %+v", got, want)
		}
		other.Drop()
		one.Keep()
		p.kept["a"] = 90
		two.Drop()
		if err := two.Add(t.Context(), 10); err != nil {
			t.Error(err)
		}
		two.Keep()
		p.kept["a"] = 100
		before := p.counts
		for range 100 {
			wantFull(t, two.Add(t.Context(), 1), false)
		}
		if p.counts != before {
			t.Errorf("refusals have it counted %d times", p.counts-before)
		}
		p.kept["a"] = 60
		time.Sleep(2 * time.Second)
		b.Removed("a")
		if err := two.Add(t.Context(), 40); err != nil {
			t.Errorf("after something was removed: %v", err)
		}
		two.Drop()
		p.kept["a"] = 100 // by another process
		time.Sleep(11 * time.Minute)
		b.Removed("a")
		if err := two.Add(t.Context(), 30); err != nil {
			t.Errorf("what another process wrote is not known yet: %v", err)
		}
		wantFull(t, two.Add(t.Context(), 30), false)
	})
}

// TestBound_CannotCount: when the first count of an account fails, its write fails with the same error.
func TestBound_CannotCount(t *testing.T) {
	t.Parallel()
	p := &place{fails: errors.New("away")}
	w := quota.New(bytes(1, 0), p.count).Begin("a")
	if err := w.Add(t.Context(), 1); !errors.Is(err, p.fails) {
		t.Error(err)
	}
}

// TestBound_Holds: whatever is written, kept, dropped and removed, no account and not all together keep more than they may.
func TestBound_Holds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := &place{kept: map[string]int64{}}
		limits := struct{ Account, Total int64 }{rapid.Int64Range(1, 50).Draw(rt, "account"), rapid.Int64Range(1, 100).Draw(rt, "total")}
		b := quota.New(bytes(limits.Account, limits.Total), p.count)
		type writing struct {
			*quota.Write
			account string
			size    int64
		}
		var all []*writing
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			account := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "account")
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				all = append(all, &writing{Write: b.Begin(account), account: account})
			case 1:
				if len(all) > 0 {
					w := rapid.SampledFrom(all).Draw(rt, "write")
					if n := rapid.Int64Range(0, 30).Draw(rt, "bytes"); w.Add(rt.Context(), n) == nil {
						w.size += n
					}
				}
			case 2:
				if len(all) > 0 {
					w := all[0]
					all = all[1:]
					if rapid.Bool().Draw(rt, "stays") {
						p.kept[w.account] += w.size
						w.Keep()
					} else {
						w.Drop()
					}
				}
			case 3:
				p.kept[account] = 0
				b.Removed(account)
			}
			held, sum := map[string]int64{}, int64(0)
			for _, w := range all {
				held[w.account] += w.size
			}
			for _, name := range []string{"a", "b", "c"} {
				held[name] += p.kept[name]
				if sum += held[name]; held[name] > limits.Account {
					rt.Fatalf("%s keeps %d of %d", name, held[name], limits.Account)
				}
			}
			if sum > limits.Total {
				rt.Fatalf("all keep %d of %d", sum, limits.Total)
			}
		}
	})
}

// TestBound_SlowCount: a first count that takes long does not delay writes for long; they are accepted meanwhile, and its
// result counts when it is known.
func TestBound_SlowCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := quota.New(bytes(100, 0), func(ctx context.Context, _ string) (quota.Amount, error) {
			select {
			case <-time.After(time.Minute):
				return quota.Amount{Bytes: 90}, nil
			case <-ctx.Done():
				return quota.Amount{}, ctx.Err()
			}
		})
		w, began := b.Begin("a"), time.Now()
		if err := w.Add(t.Context(), 5); err != nil || time.Since(began) > 10*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		time.Sleep(time.Minute)
		if err := w.Add(t.Context(), 5); err != nil {
			t.Error(err)
		}
		wantFull(t, w.Add(t.Context(), 1), false)
		b.Removed("a")
		time.Sleep(time.Minute)
		wantFull(t, w.Add(t.Context(), 1), false)
		b.Close()
	})
}

// TestBound_Files: a file is counted with its first Add, whatever its size; dropped and removed files free space.
func TestBound_Files(t *testing.T) {
	t.Parallel()
	p := &place{kept: map[string]int64{"a": 10}, files: map[string]int64{"a": 2}}
	b := quota.New(quota.Limits{Account: quota.Amount{Files: 4}, Total: quota.Amount{Files: 5}}, p.count)
	one, two := b.Begin("a"), b.Begin("a")
	if err := errors.Join(one.Add(t.Context(), 0), one.Add(t.Context(), 1<<40), two.Add(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	third := b.Begin("a")
	wantFull(t, third.Add(t.Context(), 0), false)
	var full *quota.FullError
	if err := third.Add(t.Context(), 0); !errors.As(err, &full) || full.Bound() != "4 files" {
		t.Errorf("refused with %v", err)
	}
	two.Drop()
	if err := third.Add(t.Context(), 5); err != nil {
		t.Errorf("after another was dropped: %v", err)
	}
	third.Keep()
	one.Keep()
	other, last := b.Begin("b"), b.Begin("b")
	if err := other.Add(t.Context(), 1); err != nil {
		t.Error(err)
	}
	wantFull(t, last.Add(t.Context(), 1), true)
	b.Freed("a", quota.Amount{Bytes: 5, Files: 1})
	if err := last.Add(t.Context(), 1); err != nil {
		t.Errorf("after a file was removed: %v", err)
	}
}

// TestBound_Known: Known starts a count in the background, once, and reports true when it has ended.
func TestBound_Known(t *testing.T) {
	t.Parallel()
	begun, go_ := make(chan string, 2), make(chan struct{})
	b := quota.New(quota.Limits{Account: quota.Amount{Bytes: 10}, Total: quota.Amount{Bytes: 20}}, func(_ context.Context, account string) (quota.Amount, error) {
		begun <- account
		<-go_
		return quota.Amount{Bytes: 20, Files: 1}, nil
	})
	defer b.Close()
	for range 2 {
		if b.Known("a") || b.Full() {
			t.Error("what is being counted is known")
		}
	}
	if one, two := <-begun, <-begun; one+two != "a" || len(begun) != 0 {
		t.Errorf("counted %q and %q", one, two)
	}
	close(go_)
	for !b.Known("a") {
		if t.Context().Err() != nil {
			t.Fatal("it is never known")
		}
	}
	if !b.Full() {
		t.Error("all have as much as they may, and it is not seen")
	}
	b.Removed("a")
	if b.Full() {
		t.Error("full after something was removed")
	}
}

// TestSize: sizes are shown in the largest unit that they reach.
func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		0: "0 bytes", 1000: "1000 bytes", 500 << 20: "500 MB", 20 << 30: "20 GB", 3 << 29: "1.5 GB", 1 << 40: "1 TB",
		20 << 40: "20 TB",
	} {
		if got := quota.Size(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}

// TestBound_freedWhileMeasured: what is removed while the stored files are measured, and not found any more, is subtracted once.
func TestBound_freedWhileMeasured(t *testing.T) {
	t.Parallel()
	var b *quota.Bound
	b = quota.New(quota.Limits{Total: quota.Amount{Bytes: 100}}, func(context.Context, string) (quota.Amount, error) {
		b.Freed("a", quota.Amount{Bytes: 40, Files: 1})
		return quota.Amount{Bytes: 60, Files: 2}, nil
	})
	t.Cleanup(b.Close)
	w := b.Begin("a")
	if err := w.Add(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	w.Keep()
	if got, want := b.Status().Kept, (quota.Amount{Bytes: 70, Files: 3}); got != want {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}
