package document_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"moviola/domain/document"
)

// TestSeconds_exact: times are computed as fractions are, whether they are short or need big numbers.
func TestSeconds_exact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string) (document.Seconds, *big.Rat) {
			n := rapid.OneOf(rapid.Int64Range(-100, 100), rapid.Int64Range(-1<<39, 1<<39)).Draw(t, name)
			rate := document.Rate{
				Num: rapid.SampledFrom([]int64{1, 25, 30, 1000, 2997, 1_000_000, 1<<20 + 7, 1<<31 + 11}).Draw(t, name+" rate"),
				Den: rapid.SampledFrom([]int64{1, 100, 1001, 999_983}).Draw(t, name+" part"),
			}
			exact := new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(rate.Den, rate.Num))
			if got := rate.Frame(rate.Seconds(n)); got != n {
				t.Fatalf("frame %d at %v comes back as %d", n, rate, got)
			}
			up := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(exact.Num()), exact.Denom()))
			if got := rate.Credits(n); got != up.Int64() {
				t.Fatalf("%d frames at %v cost %d, want %s", n, rate, got, up)
			}
			return rate.Seconds(n), exact
		}
		a, x := one("a")
		b, y := one("b")
		times := rapid.Int64Range(-1<<22, 1<<22).Draw(t, "times")
		for what, pair := range map[string]struct {
			got  document.Seconds
			want *big.Rat
		}{
			"a": {a, x}, "a+b": {a.Add(b), new(big.Rat).Add(x, y)}, "a-b": {a.Sub(b), new(big.Rat).Sub(x, y)},
			"a·n": {a.Times(times), new(big.Rat).Mul(x, big.NewRat(times, 1))}, "a/2": {a.Half(), new(big.Rat).Mul(x, big.NewRat(1, 2))},
			"a-b+b": {a.Sub(b).Add(b), x},
		} {
			if pair.got.String() != pair.want.FloatString(9) || pair.got.Sign() != pair.want.Sign() {
				t.Fatalf("%s is %s, want %s", what, pair.got, pair.want.FloatString(20))
			}
		}
		if a.Cmp(b) != x.Cmp(y) || b.Cmp(a) != y.Cmp(x) || !a.Sub(b).Add(b).Equal(a) {
			t.Fatalf("%s and %s compare as %d, want %d", a, b, a.Cmp(b), x.Cmp(y))
		}
	})
}
