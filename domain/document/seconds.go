package document

import "math/big"

// Seconds is an exact length or point of time, as it was written in decimals: 0.1 is a tenth. The zero Seconds is 0.
// Values are never changed in place.
type Seconds struct{ rat *big.Rat }

// Rate is frames per second as an exact, positive fraction: 25/1, 2997/100.
type Rate struct {
	Num int64
	Den int64
}

// SecondsOf returns the whole number of seconds n.
func SecondsOf(n int64) Seconds { return Seconds{big.NewRat(n, 1)} }

// maxDecimals is what a probed length is rounded to: ffprobe prints microseconds.
const maxDecimals = 6

// SecondsOfFloat returns f to the microsecond; 0 for what is no number.
func SecondsOfFloat(f float64) Seconds {
	rat := new(big.Rat)
	if _, ok := rat.SetString(big.NewFloat(clampFloat(f)).Text('f', maxDecimals)); !ok {
		return Seconds{}
	}
	return Seconds{rat}
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

// maxSeconds bounds every written time, so that sums of them stay small; it is far above any plan's longest movie.
const maxSeconds = 1e9

func (s Seconds) value() *big.Rat {
	if s.rat == nil {
		return new(big.Rat)
	}
	return s.rat
}

// Add returns s + t.
func (s Seconds) Add(t Seconds) Seconds {
	switch {
	case t.Sign() == 0:
		return s
	case s.Sign() == 0:
		return t
	}
	return Seconds{new(big.Rat).Add(s.rat, t.rat)}
}

// Sub returns s - t.
func (s Seconds) Sub(t Seconds) Seconds {
	if t.Sign() == 0 {
		return s
	}
	return Seconds{new(big.Rat).Sub(s.value(), t.rat)}
}

// Times returns s · n.
func (s Seconds) Times(n int64) Seconds {
	return Seconds{new(big.Rat).Mul(s.value(), big.NewRat(n, 1))}
}

// Half returns s / 2.
func (s Seconds) Half() Seconds { return Seconds{new(big.Rat).Mul(s.value(), big.NewRat(1, 2))} }

// Cmp is -1, 0 or 1 as s is less than, equal to or more than t.
func (s Seconds) Cmp(t Seconds) int {
	a, b := s.Sign(), t.Sign()
	switch {
	case s.rat == t.rat, a == 0 && b == 0:
		return 0
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return s.rat.Cmp(t.rat)
}

// Equal says whether s and t are the same time.
func (s Seconds) Equal(t Seconds) bool { return s.Cmp(t) == 0 }

// Sign is -1, 0 or 1 as s is negative, zero or positive.
func (s Seconds) Sign() int {
	if s.rat == nil {
		return 0
	}
	return s.rat.Sign()
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

// Float is the nearest float64, for those who compute no frames with it.
func (s Seconds) Float() float64 {
	f, _ := s.value().Float64()
	return f
}

// String is the shortest decimal form of up to 9 places.
func (s Seconds) String() string { return s.value().FloatString(9) }

// Frame is the frame at s: s · rate, rounded half up. Decision 28.
func (r Rate) Frame(s Seconds) int64 {
	x := new(big.Rat).Mul(s.value(), big.NewRat(r.Num, r.Den))
	twice := new(big.Int).Lsh(x.Num(), 1)
	twice.Add(twice, x.Denom())
	return twice.Div(twice, new(big.Int).Lsh(x.Denom(), 1)).Int64() // Div rounds towards minus infinity
}

// Seconds is the exact length of n frames.
func (r Rate) Seconds(n int64) Seconds {
	x := big.NewRat(n, 1)
	return Seconds{x.Mul(x, big.NewRat(r.Den, r.Num))}
}

// Credits is what n frames cost: 1 credit for each started second. Decision 28.
func (r Rate) Credits(n int64) int64 {
	x := r.Seconds(n).value()
	up := new(big.Int).Add(x.Num(), x.Denom())
	up.Sub(up, big.NewInt(1))
	return up.Div(up, x.Denom()).Int64()
}
