package documentstest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"moviola/projections"
)

func pages(t *testing.T, open Open) {
	docs := withThings(t, open)
	var writes []projections.Write
	for i := range 9 {
		writes = append(writes, write(name(i), 0,
			thing{Name: string(rune('a' + i%3)), Rank: int64(i), At: epoch.Add(time.Duration(i) * time.Minute)}))
	}
	mustCommit(t, docs, writes...)
	at := func(i int) time.Time { return epoch.Add(time.Duration(i) * time.Minute) }
	tests := []struct {
		what string
		q    projections.Query
		want []string
	}{
		{"equal", projections.Query{Index: "ranked", Equal: []any{"b"}}, []string{"n001", "n004", "n007"}},
		{"all fields equal", projections.Query{Index: "ranked", Equal: []any{"b", int64(4)}}, []string{"n004"}},
		{"nothing", projections.Query{Index: "ranked", Equal: []any{"z"}}, nil},
		{"whole index", projections.Query{Index: "ranked"},
			[]string{"n000", "n003", "n006", "n001", "n004", "n007", "n002", "n005", "n008"}},
		{"range of the first field", projections.Query{Index: "ranked", Range: projections.Range{Min: "b", Max: "b"}},
			[]string{"n001", "n004", "n007"}},
		{"from", projections.Query{Index: "ranked", Equal: []any{"b"}, Range: projections.Range{Min: int64(4)}},
			[]string{"n004", "n007"}},
		{"to", projections.Query{Index: "ranked", Equal: []any{"b"}, Range: projections.Range{Max: int64(4)}},
			[]string{"n001", "n004"}},
		{"between", projections.Query{Index: "ranked", Equal: []any{"b"},
			Range: projections.Range{Min: int64(2), Max: int64(6)}}, []string{"n004"}},
		{"between, empty", projections.Query{Index: "ranked", Equal: []any{"b"},
			Range: projections.Range{Min: int64(6), Max: int64(2)}}, nil},
		{"descending", projections.Query{Index: "newest", Equal: []any{"c"}}, []string{"n008", "n005", "n002"}},
		{"descending, from", projections.Query{Index: "newest", Equal: []any{"c"}, Range: projections.Range{Min: at(5)}},
			[]string{"n008", "n005"}},
		{"descending, to", projections.Query{Index: "newest", Equal: []any{"c"}, Range: projections.Range{Max: at(5)}},
			[]string{"n005", "n002"}},
		{"after", projections.Query{Index: "ranked", Equal: []any{"b"}, After: []any{int64(1), "n001"}}, []string{"n004", "n007"}},
		{"after a place between", projections.Query{Index: "ranked", Equal: []any{"b"}, After: []any{int64(2), "x"}},
			[]string{"n004", "n007"}},
		{"after and to", projections.Query{Index: "ranked", Equal: []any{"b"}, After: []any{int64(1), "n001"},
			Range: projections.Range{Max: int64(4)}}, []string{"n004"}},
		{"after and from", projections.Query{Index: "ranked", Equal: []any{"b"}, After: []any{int64(0), "n001"},
			Range: projections.Range{Min: int64(5)}}, []string{"n007"}},
		{"descending, after", projections.Query{Index: "newest", Equal: []any{"c"}, After: []any{at(8), "n008"}},
			[]string{"n005", "n002"}},
		{"descending, after and from", projections.Query{Index: "newest", Equal: []any{"c"}, After: []any{at(8), "n008"},
			Range: projections.Range{Min: at(3)}}, []string{"n005"}},
		{"by id", projections.Query{Index: projections.IDIndex, After: []any{"n006"}}, []string{"n007", "n008"}},
	}
	for _, tt := range tests {
		tt.q.Limit = 100
		wantIDs(t, tt.what, mustPage(t, docs, tt.q), tt.want...)
		if len(tt.want) > 1 {
			tt.q.Limit = 1
			wantIDs(t, tt.what+", one", mustPage(t, docs, tt.q), tt.want[0])
		}
	}
}

// keysets reads an index of mixed directions, with many equal values, in pages of several sizes.
func keysets(t *testing.T, open Open) {
	docs := withThings(t, open)
	docOf := func(i int) thing {
		return thing{Open: i%2 == 0, Name: name(i % 3), Rank: int64(i%5) - 2, At: epoch.Add(time.Duration(i%2) * time.Second)}
	}
	var writes []projections.Write
	var ids []string
	for i := range 60 {
		writes = append(writes, write(name(i), 0, docOf(i)))
		ids = append(ids, name(i))
	}
	mustCommit(t, docs, writes...)
	byID := func(id string) thing { return docOf(slices.Index(ids, id)) }
	want := slices.Clone(ids)
	slices.SortFunc(want, func(a, b string) int {
		x, y := byID(a), byID(b)
		return cmp.Or(compareBool(x.Open, y.Open), -cmp.Compare(x.Name, y.Name), cmp.Compare(x.Rank, y.Rank),
			-x.At.Compare(y.At), cmp.Compare(a, b))
	})
	for _, size := range []int{1, 7, 60, 100} {
		var got []string
		q := projections.Query{Index: "mixed", Limit: size}
		for {
			page := mustPage(t, docs, q)
			if got = append(got, page...); len(page) < size {
				break
			}
			last := byID(page[size-1])
			q.After = []any{last.Open, last.Name, last.Rank, last.At, page[size-1]}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", size, diff)
		}
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

func byteOrder(t *testing.T, open Open) {
	docs := withThings(t, open)
	texts := []string{"", "\x00", "\x00a", "A", "a", "a\x00", "a\x00\x00", "a\x01", "aa", "b", "é", "日", "\U0001F600"}
	var writes []projections.Write
	var want []string
	for i, text := range texts {
		writes = append(writes, write(name(i), 0, thing{Name: text, Open: true}))
		want = append(want, name(i))
	}
	slices.Reverse(writes)
	mustCommit(t, docs, writes...)
	wantIDs(t, "ascending", mustPage(t, docs, projections.Query{Index: "ranked", Limit: 100}), want...)
	slices.Reverse(want)
	wantIDs(t, "descending", mustPage(t, docs, projections.Query{Index: "mixed", Equal: []any{true}, Limit: 100}), want...)
	wantIDs(t, "equal", mustPage(t, docs, projections.Query{Index: "ranked", Equal: []any{"a"}, Limit: 100}), "n004")
	wantIDs(t, "equal, descending", mustPage(t, docs, projections.Query{Index: "mixed", Equal: []any{true, "a"}, Limit: 100}),
		"n004")
	wantIDs(t, "after, descending", mustPage(t, docs,
		projections.Query{Index: "mixed", Equal: []any{true}, After: []any{"a\x00"}, Limit: 2}), "n004", "n003")
}

func skips(t *testing.T, open Open) {
	docs := withThings(t, open)
	var writes []projections.Write
	for i := range 12 {
		writes = append(writes, write(name(i), 0, thing{Open: true, Name: string(rune('a' + i/4)), Rank: int64(i % 4)}))
	}
	mustCommit(t, docs, writes...)
	q := projections.Query{Index: "ranked", Limit: 1}
	wantIDs(t, "the first of a", mustPage(t, docs, q), "n000")
	q.After = []any{"a"}
	wantIDs(t, "the first of b", mustPage(t, docs, q), "n004")
	q.After = []any{"b"}
	wantIDs(t, "the first of c", mustPage(t, docs, q), "n008")
	q.After = []any{"c"}
	wantIDs(t, "the end", mustPage(t, docs, q))
	q = projections.Query{Index: "mixed", Equal: []any{true}, After: []any{"b"}, Limit: 1}
	wantIDs(t, "descending, the first of a", mustPage(t, docs, q), "n000")
	q.After = []any{"c", int64(2)}
	wantIDs(t, "descending, behind two values", mustPage(t, docs, q), "n011")
}
