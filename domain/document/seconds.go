package document

import (
	"cmp"
	"math/big"
	"strconv"
)

// Seconds is an exact length or point of time: 0.1 is exactly a tenth. The zero Seconds is 0. Values are immutable. Most
// values are in the short form: the fields num and den. Values that do not fit into it are in the long form: the field rat.
// Every value has exactly one form, so == is right for two values in the short form.
type Seconds struct {
	num, den int64    // short form: the reduced fraction num/den, within the bounds smallNum and smallDen; 0/0 means 0
	rat      *big.Rat // long form: a fraction outside of these bounds; nil: the value is in the short form
}

// The bounds of the short form. The product of a numerator and a denominator, and the sum of two such products, fit into 63 bits,
// so that sums and comparisons need no overflow checks. Microseconds up to 12 days, and frames of 30000/1001 for as long, are
// within the bounds.
const (
	smallNum = 1 << 40
	smallDen = 1 << 21
)

// Rate is frames per second as an exact, positive fraction: 25/1, 2997/100.
type Rate struct {
	Num int64
	Den int64
}

// SecondsOf returns the whole number of seconds n.
func SecondsOf(n int64) Seconds { return fraction(n, 1) }

// fraction returns num/den; den is positive.
func fraction(num, den int64) Seconds {
	if num == 0 {
		return Seconds{}
	}
	divisor := gcd(num, den)
	num, den = num/divisor, den/divisor
	if -smallNum < num && num < smallNum && den < smallDen {
		return Seconds{num: num, den: den}
	}
	return Seconds{rat: big.NewRat(num, den)}
}

// exactly returns the time of a fraction. It keeps the pointer, so the caller must not change the fraction afterwards.
func exactly(rat *big.Rat) Seconds {
	if num, den := rat.Num(), rat.Denom(); num.BitLen() < 63 && den.BitLen() < 63 {
		return fraction(num.Int64(), den.Int64())
	}
	return Seconds{rat: rat}
}

// gcd returns the greatest common divisor of two numbers other than 0.
func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// maxDecimals is the number of decimals to which a probed length is rounded, because ffprobe prints microseconds.
const (
	maxDecimals  = 6
	microseconds = 1_000_000
)

// SecondsOfFloat returns f, limited to ±maxSeconds and rounded to microseconds; 0 for NaN.
func SecondsOfFloat(f float64) Seconds {
	var room [32]byte
	text := strconv.AppendFloat(room[:0], clampFloat(f), 'f', maxDecimals, 64)
	point := len(text) - maxDecimals - 1
	micros, err := strconv.ParseInt(string(append(text[:point], text[point+1:]...)), 10, 64)
	if err != nil {
		return Seconds{}
	}
	return fraction(micros, microseconds)
}

func clampFloat(f float64) float64 {
	switch {
	case f != f:
		return 0
	case f > maxSeconds:
		return maxSeconds
	case f < -maxSeconds:
		return -maxSeconds
	}
	return f
}

// maxSeconds is the maximum of a time in a document. It keeps sums small, and is far above the longest movie of any plan.
const maxSeconds = 1e9

// value returns s as a fraction. The caller must not change it, because it may be s.rat.
func (s Seconds) value() *big.Rat {
	switch {
	case s.rat != nil:
		return s.rat
	case s.den == 0:
		return new(big.Rat)
	}
	return big.NewRat(s.num, s.den)
}

// Add returns s + t.
func (s Seconds) Add(t Seconds) Seconds {
	switch {
	case t.Sign() == 0:
		return s
	case s.Sign() == 0:
		return t
	case s.rat != nil || t.rat != nil:
		return exactly(new(big.Rat).Add(s.value(), t.value()))
	case s.den == t.den:
		return fraction(s.num+t.num, s.den)
	}
	return fraction(s.num*t.den+t.num*s.den, s.den*t.den)
}

// Sub returns s - t.
func (s Seconds) Sub(t Seconds) Seconds {
	if t.rat != nil {
		return s.Add(exactly(new(big.Rat).Neg(t.rat)))
	}
	return s.Add(Seconds{num: -t.num, den: t.den})
}

// Times returns s · n.
func (s Seconds) Times(n int64) Seconds {
	if s.rat == nil && -smallDen < n && n < smallDen {
		return fraction(s.num*n, max(s.den, 1))
	}
	return exactly(new(big.Rat).Mul(s.value(), big.NewRat(n, 1)))
}

// Half returns s / 2.
func (s Seconds) Half() Seconds {
	if s.rat == nil {
		return fraction(s.num, 2*max(s.den, 1))
	}
	return exactly(new(big.Rat).Mul(s.rat, big.NewRat(1, 2)))
}

// Cmp returns -1, 0 or 1 if s is less than, equal to or greater than t.
func (s Seconds) Cmp(t Seconds) int {
	a, b := s.Sign(), t.Sign()
	switch {
	case s == t:
		return 0
	case a < b:
		return -1
	case a > b:
		return 1
	case s.rat == nil && t.rat == nil:
		return cmp.Compare(s.num*t.den, t.num*s.den)
	}
	return s.value().Cmp(t.value())
}

// Equal reports whether s and t are the same time.
func (s Seconds) Equal(t Seconds) bool { return s.Cmp(t) == 0 }

// Sign returns -1, 0 or 1 if s is negative, zero or positive.
func (s Seconds) Sign() int {
	if s.rat != nil {
		return s.rat.Sign()
	}
	return cmp.Compare(s.num, 0)
}

// Max returns the larger of s and t.
func (s Seconds) Max(t Seconds) Seconds {
	if s.Cmp(t) < 0 {
		return t
	}
	return s
}

// Min returns the smaller of s and t.
func (s Seconds) Min(t Seconds) Seconds {
	if s.Cmp(t) > 0 {
		return t
	}
	return s
}

// Float returns the nearest float64. That value is not exact enough for computing frames.
func (s Seconds) Float() float64 {
	if s.rat == nil {
		return float64(s.num) / float64(max(s.den, 1)) // both numbers are exact as float64; only the quotient is rounded
	}
	f, _ := s.rat.Float64()
	return f
}

// String returns the time in seconds with exactly 9 decimal places, rounded.
func (s Seconds) String() string { return s.value().FloatString(9) }

// small reports whether the product of the rate and a time in the short form fits into 63 bits.
func (r Rate) small() bool { return r.Num < smallDen/2 && r.Den < smallDen/2 }

// Frame returns the frame at time s: s · rate, rounded half up. Decision 28.
func (r Rate) Frame(s Seconds) int64 {
	if s.rat == nil && r.small() {
		num, den := s.num*r.Num, max(s.den, 1)*r.Den
		return floor(2*num+den, 2*den)
	}
	x := new(big.Rat).Mul(s.value(), big.NewRat(r.Num, r.Den))
	twice := new(big.Int).Lsh(x.Num(), 1)
	twice.Add(twice, x.Denom())
	// Div rounds down, so that the result is floor(x + 1/2): x rounded to the nearest integer, and a half rounded up.
	return twice.Div(twice, new(big.Int).Lsh(x.Denom(), 1)).Int64()
}

// floor returns a/b rounded towards minus infinity; b is positive.
func floor(a, b int64) int64 {
	if a < 0 && a%b != 0 {
		return a/b - 1
	}
	return a / b
}

// Seconds returns the exact length of n frames.
func (r Rate) Seconds(n int64) Seconds {
	if r.small() && -smallNum < n && n < smallNum {
		return fraction(n*r.Den, r.Num)
	}
	x := big.NewRat(n, 1)
	return exactly(x.Mul(x, big.NewRat(r.Den, r.Num)))
}

// Credits returns the price of n frames: 1 credit for each started second. Decision 28.
func (r Rate) Credits(n int64) int64 {
	length := r.Seconds(n)
	if length.rat == nil {
		return -floor(-length.num, max(length.den, 1))
	}
	x := length.rat
	up := new(big.Int).Add(x.Num(), x.Denom())
	up.Sub(up, big.NewInt(1))
	return up.Div(up, x.Denom()).Int64()
}
