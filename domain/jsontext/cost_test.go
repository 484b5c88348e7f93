package jsontext_test

import (
	"bytes"
	"testing"

	"moviola/domain/jsontext"
)

// BenchmarkFindFault: a text of one line with very many brackets costs per byte what a short one costs.
func BenchmarkFindFault(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		raw := append(append([]byte("["), bytes.Repeat([]byte(`{"a":[1]},`), n)...), "nul"...)
		b.Run(string(rune('0'+len(raw)/1_000_000))+" MB", func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				jsontext.FindFault(raw)
			}
		})
	}
}
