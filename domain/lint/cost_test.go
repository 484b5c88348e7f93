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

// usual is a movie as people send it.
const usual = `{"comment":"A movie as people send it","resolution":"full-hd","quality":"high","client-data":{"order":"20261121-0001"},` +
	`"scenes":[{"comment":"Scene 1","duration":1,"background-color":"#4392F1","elements":[{"type":"text","style":"001","text":"measured",` +
	`"duration":1,"settings":{"font-family":"Roboto","font-size":"96px","color":"#FFFFFF","text-align":"center"}}]},` +
	`{"comment":"Scene 2","duration":1,"transition":{"style":"fade","duration":0.5},"elements":[{"type":"text","style":"003",` +
	`"text":"beside what the machine can do","start":0.2,"settings":{"font-size":"48px","vertical-position":"bottom"}}]}]}`

// TestWarnings_usual: of a movie without mistakes no places are looked for, so that a check takes at most 60 allocations.
func TestWarnings_usual(t *testing.T) {
	in := lint.Read([]byte(usual))
	if cost := testing.AllocsPerRun(20, func() { lint.Warnings(in) }); cost > 60 {
		t.Errorf("%v allocations", cost)
	}
	if warnings := lint.Warnings(in); len(warnings) > 0 {
		t.Errorf("it has warnings: %q", warnings)
	}
}

func BenchmarkUsual(b *testing.B) {
	in := lint.Read([]byte(usual))
	b.ReportAllocs()
	for b.Loop() {
		lint.Warnings(in)
	}
}
