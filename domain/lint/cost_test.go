package lint_test

import (
	"bytes"
	"fmt"
	"testing"

	"moviola/domain/lint"
)

// mistaken is a movie of n elements with three unknown names each.
func mistaken(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"scenes":[{"elements":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"text","text":"a","positon":"custom","colour%d":"red","fontsize":%d}`, i, i)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// TestWarnings_enough: a movie with very many mistakes has as many warnings as a movie may have, and looking for them allocates no more for more
// mistakes.
func TestWarnings_enough(t *testing.T) {
	few, many := lint.Read(mistaken(100)), lint.Read(mistaken(4000))
	if got := len(lint.Warnings(many)); got != 50 {
		t.Errorf("%d warnings, want 50", got)
	}
	if report := lint.Check(many); report.Total != 12000 || len(report.Problems) != lint.MaxProblems {
		t.Errorf("%d problems of %d", len(report.Problems), report.Total)
	}
	// The places of all elements are kept: some memory for each of them is allowed, that of messages is not.
	cost := func(in lint.Input) float64 { return testing.AllocsPerRun(2, func() { lint.Warnings(in) }) }
	if a, b := cost(few), cost(many); b > a+3900*60 {
		t.Errorf("%v allocations for 100 elements, %v for 4,000", a, b)
	}
}

func BenchmarkWarnings(b *testing.B) {
	for _, n := range []int{10, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := lint.Read(mistaken(n))
			b.ReportAllocs()
			for b.Loop() {
				lint.Warnings(in)
			}
		})
	}
}
